#include "dppl/page.h"

#include <gtest/gtest.h>

#include "export/page/embedded.h"
#include "support/expect_error.h"
#include "support/html_checks.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::count_of;

class ClassifyingPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page::runtime().empty()) GTEST_SKIP() << "built without ONNX Runtime Web (scripts/setup-ort-web.sh)";
  }

  static Page page_of(Model model) {
    return {.title = "", .published = {"clinic", std::string(64, 'd'), std::move(model)}};
  }
  // Without what is long: the model, and what runs it.
  static std::string readable(const Page& page) {
    std::string html = page_html(page);
    for (const char* id : {"id=\"model\">", "id=\"runtime\">"}) {
      const size_t begin = html.find(id) + std::string_view(id).size();
      html.erase(begin, html.find("</script>", begin) - begin);
    }
    return html;
  }
};

TEST_F(ClassifyingPage, EverySampleModelGetsAWholePage) {
  for (const auto& [name, model] : testing::all_sample_models()) {
    const std::string html = readable(page_of(model));
    EXPECT_EQ(html.find("{{"), std::string::npos) << name;
    EXPECT_EQ(count_of(html, "<!DOCTYPE html>"), 1u);
    EXPECT_EQ(count_of(html, "</html>"), 1u);
    // Nothing is loaded: every address is data, a place in the page or the name of a language.
    EXPECT_EQ(count_of(html, "<script src"), 0u);
    EXPECT_EQ(count_of(html, "<link"), 1u);
    testing::expect_words(
        html, {"default-src 'none'", "base-uri 'none'", "form-action 'none'", "clinic", std::string(64, 'd')});
    EXPECT_EQ(html.find("NOT PRIVATE") != std::string::npos, !model.guarantee.is_private) << name;
    EXPECT_EQ(page_html(page_of(model)), page_html(page_of(model))) << name;
  }
}

TEST_F(ClassifyingPage, NamesCannotBecomeMarkup) {
  Model model = testing::public_model();
  model.classes = ClassSet::named({"</script><script>alert(1)</script>", "\"&'", "<!--"});
  Page page = page_of(std::move(model));
  page.title = "<b>{{script}}</b>";
  const std::string html = readable(page);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("&lt;b&gt;{{script}}&lt;/b&gt;"), std::string::npos)
      << "what fills a slot is not looked at again";
  EXPECT_EQ(html.find("<!--"), std::string::npos);
}

TEST_F(ClassifyingPage, TellsTheGuaranteeInTwoSentences) {
  const std::string html = readable(page_of(testing::public_model()));
  testing::expect_words(html, {"is right at most", "a coin is right 50%", "with ε = 0.1 (pure ε-DP)"});
}

TEST_F(ClassifyingPage, RefusesWhatItCannotShow) {
  Page page = page_of(testing::public_model());
  page.onnx.encoder = "builtin:hog";
  testing::expect_error<InvalidInput>([&] { page_html(page); }, {"the model takes rows of 4"});
  page.onnx.prepared_input = true;
  testing::expect_error<InvalidInput>([&] { page_html(page); }, {"page: "});
}

TEST_F(ClassifyingPage, IsWrittenIntoAFolderThatIsMadeOrNotAtAll) {
  const testing::TempDir dir;
  const Page page = page_of(testing::public_model());
  write_page(page, dir.path("a/b"));
  EXPECT_EQ(testing::read_text(dir.path("a/b/index.html")), page_html(page));
  const std::string file = dir.file("file", "here");
  testing::expect_error<IoError>([&] { write_page(page, file); }, {file});
  EXPECT_EQ(testing::read_text(file), "here");
}

}  // namespace
}  // namespace dppl
