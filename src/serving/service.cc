#include "serving/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/whole_number.h"
#include "images/decode.h"
#include "serving/constants.h"
#include "serving/index_page.h"

namespace dppl::serving {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

void require_method(const HttpRequest& request, bool posts) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (posts ? request.method == "POST" : reads) return;
  throw HttpError(405, fmt::format("use {} for this address", posts ? "POST" : "GET"));
}

void require_plain(const HttpRequest& request) {
  if (request.content_encoding.empty() || request.content_encoding == "identity") return;
  throw HttpError(415, "compressed bodies are not understood; send it as it is");
}

bool takes_long(const HttpRequest& request) {
  const size_t text = parse_json_size(request.json_size).value_or(request.body.size());
  return text > kSmallText || request.body.size() > kSmallBody;
}

size_t parse_top(const Address& address, size_t classes) {
  const std::optional<std::string> text = query_value(address.query, "top");
  if (!text) return std::min(kDefaultTop, classes);
  const std::optional<uint64_t> top = whole_number(*text);
  if (!top || *top == 0) throw InvalidInput("top: give a number of classes, such as ?top=3");
  return std::min<size_t>(*top, classes);
}

std::string image_answer(const LoadedModel& model, std::span<const float> scores, std::span<const float> probabilities,
                         size_t label, size_t top) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Of equal scores the first is the nearest, as it is in predictions.
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(top), order.end(),
                    [&](size_t a, size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  const auto number = [](float value) {
    std::string text;
    append_number(text, value);
    return text;
  };
  const auto name = [&](size_t c) { return Json(model.classes.name(c)).dump(); };
  std::string json =
      fmt::format(R"({{"model_name":{},"model_version":"{}","label":{},"class":{},"probability":{},"top":[)",
                  Json(model.name).dump(), model.version, label, name(label), number(probabilities[label]));
  for (size_t i = 0; i < top; ++i) {
    const size_t c = order[i];
    json += fmt::format(R"({}{{"label":{},"class":{},"score":{},"probability":{}}})", i == 0 ? "" : ",", c, name(c),
                        number(scores[c]), number(probabilities[c]));
  }
  return json + "]}";
}

}  // namespace

// One request on its way to its answer.
struct Service::Call {
  HttpRequest request;
  Respond respond;
  Metrics& metrics;
  Clock::time_point begin = Clock::now();
  Address address = {};
  std::string endpoint = "page";
  ModelPointer model = {};

  // The name of an endpoint and of a model that is there.
  void answer(HttpResponse response) const {
    metrics.count_request(endpoint, model ? model->name : "", response.status,
                          std::chrono::duration<double>(Clock::now() - begin).count());
    respond(std::move(response));
  }
};

Service::Service(const ServerOptions& options, Metrics& metrics, MemoryBudget& memory)
    : options_(options),
      metrics_(metrics),
      memory_(memory),
      models_(options.models),
      site_(options.page.empty() ? nullptr : std::make_shared<const Site>(options.page)),
      batcher_({.threads = options.threads,
                .patience = std::chrono::duration<double>(options.patience_seconds),
                .longest_wait = std::chrono::duration<double>(options.limits.request_seconds)},
               metrics) {
  note_models();
  if (!options.encoder) return;
  const auto fits = [&](const ModelPointer& model) { return model->classifier.dim() == options.encoder->dim(); };
  const std::vector<ModelPointer> models = models_.all();
  if (std::none_of(models.begin(), models.end(), fits)) {
    throw InvalidInput(
        fmt::format("the encoder makes rows of {} values, and '{}' takes rows of {}; give the encoder that "
                    "the model was made with",
                    options.encoder->dim(), models.front()->name, models.front()->classifier.dim()));
  }
  images_ = std::make_unique<ImageQueue>(options.encoder, options.encoder_batch,
                                         std::chrono::duration<double>(options.patience_seconds));
}

Service::~Service() { batcher_.stop(); }  // its tasks use the image queue

void Service::note_models() const {
  for (const ModelPointer& model : models_.all()) {
    if (!model->is_private) {
      options_.note(
          fmt::format("{}: NOT PRIVATE: made with a fixed seed; do not publish it or what it says", model->name));
    }
  }
}

bool Service::reload() {
  std::vector<std::string> failures = models_.reload();
  if (!options_.page.empty()) {
    try {
      auto site = std::make_shared<const Site>(options_.page);
      const std::lock_guard lock(mutex_);
      site_.swap(site);
    } catch (const std::exception& error) {
      failures.push_back(error.what());
    }
  }
  for (const std::string& failure : failures) options_.note(fmt::format("{}; what was served before stays", failure));
  for (const ModelPointer& model : models_.all()) {
    options_.note(fmt::format("{}: version {}", model->name, model->version));
  }
  note_models();
  metrics_.count_reload(failures.empty());
  return failures.empty();
}

// ---- Routes

void Service::handle(HttpRequest request, Respond respond) {
  const auto call = std::make_shared<Call>(Call{std::move(request), std::move(respond), metrics_});
  guarded(call, false, &Service::route);
}

void Service::guarded(const CallPointer& call, bool on_another, void (Service::*work)(const CallPointer&)) {
  const auto run = [this, call, work] {
    try {
      (this->*work)(call);
    } catch (...) {
      fail(call);
    }
  };
  if (on_another) return batcher_.post(run);
  run();
}

// Answers what is being thrown.
void Service::fail(const CallPointer& call) const {
  try {
    throw;
  } catch (const HttpError& error) {
    call->answer(error_response(error.status(), error.what()));
  } catch (const InvalidInput& error) {
    call->answer(error_response(400, error.what()));
  } catch (const std::bad_alloc&) {
    call->answer(error_response(503, "there is not enough memory; try again"));
  } catch (const std::exception& error) {
    options_.note(fmt::format("a request failed: {}", error.what()));
    call->answer(error_response(500, "this is an error of the server"));
  }
}

void Service::route(const CallPointer& call) {
  std::optional<Address> address = parse_address(call->request.target);
  if (!address) throw InvalidInput("the address holds a '%' that encodes nothing");
  call->address = std::move(*address);
  const std::vector<std::string>& parts = call->address.parts;
  if (parts.size() > 2 && parts[0] == "v2" && parts[1] == "models") return route_model(call);
  require_method(call->request, false);
  if (!parts.empty() && parts[0] == "v2") {
    call->endpoint = "server";
    return call->answer(answer_about_server(call->address));
  }
  if (call->address.path == "/metrics") {
    call->endpoint = "metrics";
    std::map<std::string, std::string> versions;
    for (const ModelPointer& model : models_.all()) versions[model->name] = model->version;
    return call->answer(
        {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.text(versions, memory_.used())});
  }
  std::shared_ptr<const Site> site;
  {
    const std::lock_guard lock(mutex_);
    site = site_;
  }
  if (site) return call->answer(site->get(call->address.path, call->request.if_none_match));
  if (call->address.path != "/") throw HttpError(404, "there is nothing at this address; / lists what there is");
  call->answer(index_page(models_.all(), images_ ? &images_->encoder() : nullptr));
}

HttpResponse Service::answer_about_server(const Address& address) const {
  const std::string path = fmt::format("/{}", fmt::join(address.parts, "/"));
  if (path == "/v2") {
    const Json told{
        {"name", "dppl"}, {"version", options_.version}, {"extensions", {"binary_tensor_data", "classify_image"}}};
    return {.body = told.dump()};
  }
  if (path == "/v2/health/live") return {.body = R"({"live":true})"};
  if (path == "/v2/health/ready") return {.body = R"({"ready":true})"};
  if (path == "/v2/models") {
    Json list = Json::array();
    for (const ModelPointer& model : models_.all()) {
      list.push_back({{"name", model->name}, {"version", model->version}, {"ready", true}});
    }
    return {.body = Json::object({{"models", list}}).dump()};
  }
  throw HttpError(404, "the protocol has no such address");
}

ModelPointer Service::model_of(const Address& address) const {
  ModelPointer model = models_.find(address.parts[2]);
  if (model) return model;
  std::vector<std::string> names;
  for (const ModelPointer& one : models_.all()) names.push_back(one->name);
  throw HttpError(
      404, fmt::format("there is no model '{}'; there is {}", shortened(address.parts[2]), fmt::join(names, ", ")));
}

void Service::route_model(const CallPointer& call) {
  call->endpoint = "model";
  call->model = model_of(call->address);
  std::span<const std::string> rest(call->address.parts);
  rest = rest.subspan(3);
  if (rest.size() >= 2 && rest[0] == "versions") {
    if (rest[1] != call->model->version && rest[1] != call->model->digest) {
      throw HttpError(
          404, fmt::format("version '{}' of the model is not here; {} is", shortened(rest[1]), call->model->version));
    }
    rest = rest.subspan(2);
  }
  const std::string action = fmt::format("{}", fmt::join(rest, "/"));
  const bool posts = action == "infer" || action == "classify";
  if (!posts && action != "" && action != "ready") throw HttpError(404, "the protocol has no such address");
  require_method(call->request, posts);
  if (action == "") return call->answer({.body = call->model->metadata});
  if (action == "ready") return call->answer({.body = Json{{"name", call->model->name}, {"ready", true}}.dump()});
  call->endpoint = action;
  require_plain(call->request);
  if (action == "infer") return guarded(call, takes_long(call->request), &Service::infer);
  check_encoder(*call->model);
  guarded(call, true, &Service::classify_image);
}

// ---- Classification

std::shared_ptr<MemoryBudget::Share> Service::take_memory(size_t bytes) {
  auto share = std::make_shared<MemoryBudget::Share>(memory_);
  if (!share->grow_to(bytes)) throw HttpError(503, "requests under way take all the memory that they may; try again");
  return share;
}

void Service::infer(const CallPointer& call) {
  HttpRequest& request = call->request;
  const LoadedModel& model = *call->model;
  const auto parsed = std::make_shared<InferRequest>(
      parse_infer_request(request.body, request.owner, parse_json_size(request.json_size), model.classifier.dim()));
  const size_t tensors = answer_bytes(*parsed, model.classes.size());
  if (tensors > options_.limits.body_bytes) {
    throw HttpError(413,
                    fmt::format("the answer would take {} bytes, more than {}; send fewer rows at a time, or ask for "
                                "the label alone",
                                tensors, options_.limits.body_bytes));
  }
  const size_t rows_bytes = parsed->rows_in_body ? 0 : parsed->rows.rows() * parsed->rows.dim() * sizeof(float);
  const auto memory = take_memory(rows_bytes + kAnswerFactor * tensors);
  request.body = {};
  request.owner.reset();  // the rows keep it, where they are in it
  const bool wants_scores = parsed->wants_scores();
  batcher_.classify(
      std::make_shared<Job>(call->model, std::move(parsed->rows), wants_scores, [this, call, parsed, memory](Job& job) {
        answer(call, job, [&] {
          InferAnswer found{job.model->name, job.model->version, job.model->classes, std::move(job.labels), {}, {}};
          if (parsed->wants(Output::probabilities)) {
            found.probabilities = job.model->classifier.probabilities(job.scores);
          }
          found.scores = std::move(job.scores);
          HttpResponse response = write_infer_response(*parsed, found);
          response.owner = memory;
          return response;
        });
      }));
}

template <typename Write>
void Service::answer(const CallPointer& call, const Job& job, const Write& write) const {
  try {
    if (job.outcome == Job::Outcome::too_late) throw HttpError(503, "the server has more to do than it can; try again");
    if (job.outcome == Job::Outcome::failed) throw Error("the classifier failed");
    call->answer(write());
  } catch (...) {
    fail(call);
  }
}

void Service::check_encoder(const LoadedModel& model) const {
  if (!images_) {
    throw InvalidInput("this server was started without an encoder and takes embeddings alone, at …/infer");
  }
  const size_t dim = images_->encoder().dim();
  if (dim == model.classifier.dim()) return;
  throw InvalidInput(
      fmt::format("the server's encoder makes rows of {} values and this model takes rows of {}: it takes "
                  "embeddings alone, at …/infer",
                  dim, model.classifier.dim()));
}

void Service::classify_image(const CallPointer& call) {
  if (call->request.content_type.starts_with("multipart/")) {
    throw HttpError(415, "send the image file itself as the body, not a form (curl --data-binary @image.jpg)");
  }
  const size_t top = parse_top(call->address, call->model->classes.size());
  const Encoder& encoder = images_->encoder();
  std::vector<float> input(encoder.input_size());
  encoder.prepare(decode_image(call->request.body, "the image", options_.limits.pixels, encoder.least_size()), input);
  call->request.body = {};
  call->request.owner.reset();
  const bool taken = images_->encode(std::move(input), [this, call, top](std::vector<float> row) {
    try {
      if (row.empty()) throw Error("the encoder failed");
      classify_row(call, std::move(row), top);
    } catch (...) {
      fail(call);
    }
  });
  if (!taken) throw HttpError(503, "too many images are waiting; try again");
}

void Service::classify_row(const CallPointer& call, std::vector<float> row, size_t top) {
  const size_t dim = row.size();
  batcher_.classify(std::make_shared<Job>(
      call->model, Embeddings::from_memory(std::move(row), dim), true, [this, call, top](Job& job) {
        answer(call, job, [&] {
          const std::vector<float> probabilities = job.model->classifier.probabilities(job.scores);
          return HttpResponse{
              .body = image_answer(*job.model, job.scores, probabilities, static_cast<size_t>(job.labels[0]), top)};
        });
      }));
}

}  // namespace dppl::serving
