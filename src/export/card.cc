#include <fmt/format.h>

#include <cmath>

#include "dppl/export.h"
#include "export/mechanism_words.h"
#include "export/yaml.h"
#include "model/guarantee_words.h"
#include "model/settings_words.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

// As Markdown shows it, letter by letter. A class may be named anything.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#~&").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string joined_lines(std::string text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == '\n' || c == ' ';
    if (!space || !(result.empty() || result.ends_with(' '))) result += space ? ' ' : c;
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

std::string percent(double share) { return fmt::format("{:.2f}%", 100 * share); }

class Card {
 public:
  Card(const PublishedModel& published, const PublicationFacts& facts)
      : published_(published), model_(published.model), facts_(facts) {}

  std::string write() const {
    return "---\n" + to_yaml(header()) + "---\n" + title() + what_it_is() + guarantee() + unprotected() + use() +
           accuracy() + running() + making() + identity();
  }

 private:
  std::string name() const { return facts_.title.empty() ? published_.name : facts_.title; }
  const char* task() const { return facts_.takes_images ? "image-classification" : "tabular-classification"; }

  // ---- What the hub reads

  Json header() const {
    Json result;
    if (!facts_.licence.empty()) result["license"] = facts_.licence;
    if (!facts_.base_model.empty()) result["base_model"] = facts_.base_model;
    result["library_name"] = "onnx";
    result["pipeline_tag"] = task();
    result["tags"] = {"differential-privacy", "dppl", "prototypes", "onnx"};
    if (!facts_.evaluation) return result;
    result["metrics"] = {"accuracy"};
    const Json measured = {{"task", {{"type", task()}}},
                           {"dataset", {{"name", test_data()}, {"type", "other"}}},
                           {"metrics", metrics(*facts_.evaluation)}};
    result["model-index"] = Json::array({Json{{"name", name()}, {"results", Json::array({measured})}}});
    return result;
  }

  static Json metrics(const Evaluation& evaluation) {
    Json result = Json::array();
    const auto add = [&](const char* what, double value) {
      result.push_back(Json{{"type", "accuracy"}, {"name", what}, {"value", std::round(value * 1e4) / 1e4}});
    };
    add("Accuracy", evaluation.accuracy);
    add("Balanced accuracy", evaluation.balanced_accuracy);
    return result;
  }

  std::string test_data() const { return facts_.test_data.empty() ? "test data" : facts_.test_data; }

  // ---- What people read

  std::string title() const {
    std::string result = fmt::format("\n# {}\n", escaped(name()));
    if (!model_.guarantee.is_private) {
      result +=
          "\n> **NOT PRIVATE.** This model was made with a fixed seed, for tests or experiments. Whoever knows the "
          "seed "
          "can undo the noise. Do not publish it.\n";
    }
    return result;
  }

  std::string what_it_is() const {
    std::string names;
    for (size_t c = 0; c < model_.classes.size(); ++c) names += (c == 0 ? "" : ", ") + escaped(model_.classes.name(c));
    return fmt::format(
        "\nA classifier with {} class{} for {}, made of private records with differential privacy.\n\n"
        "- Method: {}.\n- Classes: {}.\n",
        model_.classes.size(), model_.classes.size() == 1 ? "" : "es",
        facts_.takes_images ? "images" : fmt::format("embeddings of {} values", model_.input_dim()),
        escaped(method_words(model_)), names);
  }

  std::string guarantee() const {
    std::string result = "\n## The privacy guarantee\n";
    if (!model_.guarantee.is_private) result += "\nMade without a seed, the model would have had this guarantee.\n";
    result += fmt::format("\n{}\n", escaped(joined_lines(guarantee_words(model_))));
    if (const std::string guess = guess_words(model_.guarantee); !guess.empty())
      result += fmt::format("\n{}\n", escaped(guess));
    result += fmt::format("\n{}\n", escaped(protected_words(model_.guarantee.relation)));
    result += "\n| the same in other notions, rounded up | |\n|---|---|\n";
    for (const auto& [notion, cost] : costs_in_words(model_.guarantee))
      result += fmt::format("| {} | {} |\n", escaped(notion), escaped(cost));
    return result + fmt::format("\n{}\n\n{}\n", escaped(mechanism_words(model_)), escaped(composition_words(model_)));
  }

  std::string unprotected() const {
    std::string result = "\n## What is not protected\n\n";
    for (const std::string& line : unprotected_words(model_.guarantee)) result += fmt::format("- {}\n", escaped(line));
    return result + "- What somebody shows to the model: the guarantee is for the records that it was made of.\n";
  }

  std::string use() const {
    const std::string intended =
        facts_.intended_use.empty()
            ? "To find which of its classes a record of the same kind belongs to, with the encoder that its rows were "
              "made with."
            : facts_.intended_use;
    return fmt::format(
        "\n## Intended use\n\n{}\n\n"
        "It knows its classes only: whatever it is shown, it finds one of them. Its probabilities are its own estimate "
        "of how sure it is. It must not be the only ground for a decision about a person, and it says nothing about "
        "records that differ from those that it was made of.\n",
        escaped(intended));
  }

  std::string accuracy() const {
    if (!facts_.evaluation) return "";
    const Evaluation& evaluation = *facts_.evaluation;
    std::string result = fmt::format(
        "\n## Accuracy\n\nOn {} ({} records). These figures depend on the test records, and are not private.\n\n"
        "| | |\n|---|---|\n| accuracy | {} |\n| balanced accuracy | {} |\n",
        escaped(test_data()), evaluation.n, percent(evaluation.accuracy), percent(evaluation.balanced_accuracy));
    result += "\n| class | test records | accuracy |\n|---|---|---|\n";
    for (const ClassEvaluation& each : evaluation.per_class) {
      result += fmt::format("| {} | {} | {} |\n", escaped(each.name), each.n,
                            each.accuracy ? percent(*each.accuracy) : std::string("–"));
    }
    return result;
  }

  std::string running() const {
    const std::string input =
        facts_.takes_images
            ? "image = np.asarray(PIL.Image.open(\"image.png\").convert(\"RGB\"))[None]  # uint8, N × height × width × "
              "3\n"
              "label, probabilities = session.run([\"label\", \"probabilities\"], {\"image\": image})\n"
            : fmt::format(
                  "embedding = np.load(\"x.npy\").astype(np.float32)  # N × {}\n"
                  "label, probabilities = session.run([\"label\", \"probabilities\"], {{\"embedding\": embedding}})\n",
                  model_.input_dim());
    return fmt::format(
        "\n## How to run it\n\nWith ONNX Runtime, on the file that `dppl export {0}-o model.onnx` writes:\n\n"
        "```python\nimport json\nimport numpy as np, onnxruntime{1}\n\n"
        "session = onnxruntime.InferenceSession(\"model.onnx\")\n{2}"
        "names = json.loads(session.get_modelmeta().custom_metadata_map[\"dppl.classes\"])\n"
        "print([names[i] for i in label])\n```\n",
        facts_.takes_images ? "--encoder … " : "", facts_.takes_images ? ", PIL.Image" : "", input);
  }

  std::string making() const {
    std::string result = "\n## How it was made\n\n| | |\n|---|---|\n";
    for (const auto& [setting, value] : settings_in_words(model_))
      result += fmt::format("| {} | {} |\n", escaped(setting), escaped(value));
    if (model_.pool) {
      result += fmt::format("| public pool | {} rows of dimension {} |\n| its digest | `{}` |\n", model_.pool->rows,
                            model_.pool->dim, model_.pool->digest);
    }
    if (model_.knowledge) {
      result += fmt::format("| public knowledge | of {} of {} classes: {} examples, {} vectors |\n",
                            model_.knowledge->classes, model_.classes.size(), model_.knowledge->examples,
                            model_.knowledge->vectors);
    }
    return result;
  }

  std::string identity() const {
    return fmt::format("\n| | |\n|---|---|\n| model digest (BLAKE2b-256) | `{}` |\n| ledger entry | {} |\n",
                       published_.digest,
                       model_.ledger_entry.empty() ? "none" : fmt::format("`{}`", model_.ledger_entry));
  }

  const PublishedModel& published_;
  const Model& model_;
  const PublicationFacts& facts_;
};

}  // namespace

std::string model_card(const PublishedModel& published, const PublicationFacts& facts) {
  return Card(published, facts).write();
}

}  // namespace dppl
