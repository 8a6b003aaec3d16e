#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/help_page.h"
#include "cli/interrupt.h"
#include "dppl/invalid_record.h"

int main(int argc, char** argv) {
  // Where standard streams are closed, the next file that is opened would get their numbers, and messages would be
  // written into it.
  while (true) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd < 0 || fd > STDERR_FILENO) break;
  }
  dppl::cli::say_when_interrupted("nothing was written");
  CLI::App app{"dppl: differentially private prototype learning", "dppl"};
  app.formatter(std::make_shared<dppl::cli::HelpPage>());
  app.set_help_all_flag("--help-all", "Print all options and exit");
  app.require_subcommand(1);
  app.set_version_flag("--version", DPPL_VERSION);
  app.footer(
      "'dppl COMMAND --help' shows a worked example, '--help-all' every option.\n"
      "Exit status: 0 done; 1 refused or failed; 2 wrong usage.");
  dppl::cli::add_embed(app);
  dppl::cli::add_fit(app);
  dppl::cli::add_predict(app);
  dppl::cli::add_eval(app);
  dppl::cli::add_inspect(app);
  dppl::cli::add_report(app);
  dppl::cli::add_export(app);
  dppl::cli::add_serve(app);
  dppl::cli::add_ledger(app);
  dppl::cli::add_account(app);
  dppl::cli::add_audit(app);
  dppl::cli::add_longtail(app);
  dppl::cli::add_pool(app);
  dppl::cli::add_tune(app);
  dppl::cli::add_sweep(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) throw dppl::IoError("standard output: cannot write (is the disk full?)");
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const dppl::InvalidRecord& error) {
    std::cerr << "dppl: " << error.what() << ": "
              << (dppl::cli::private_errors_shown() ? error.private_detail() : "--show-private-errors tells where")
              << std::endl;
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "dppl: " << error.what() << std::endl;
    return 1;
  }
}
