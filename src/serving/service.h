#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "dppl/serving.h"
#include "serving/address.h"
#include "serving/batcher.h"
#include "serving/http.h"
#include "serving/image_queue.h"
#include "serving/memory_budget.h"
#include "serving/metrics.h"
#include "serving/model_store.h"
#include "serving/protocol.h"
#include "serving/site.h"

namespace dppl::serving {

// What is at which address.
class Service {
 public:
  // Throws for models, an encoder or a page that cannot be used.
  Service(const ServerOptions& options, Metrics& metrics, MemoryBudget& memory);
  ~Service();

  void handle(HttpRequest request, Respond respond);
  bool reload();

 private:
  struct Call;
  using CallPointer = std::shared_ptr<Call>;

  void route(const CallPointer& call);
  HttpResponse answer_about_server(const Address& address) const;
  void route_model(const CallPointer& call);
  ModelPointer model_of(const Address& address) const;

  void infer(const CallPointer& call);
  void classify_image(const CallPointer& call);
  void classify_row(const CallPointer& call, std::vector<float> row, size_t top);
  // Makes an answer of what a job found; `write` is not called where it failed.
  template <typename Write>
  void answer(const CallPointer& call, const Job& job, const Write& write) const;
  void check_encoder(const LoadedModel& model) const;

  // Runs it now or on another thread; what it throws becomes the answer.
  void guarded(const CallPointer& call, bool on_another, void (Service::*work)(const CallPointer&));
  void fail(const CallPointer& call) const;
  std::shared_ptr<MemoryBudget::Share> take_memory(size_t bytes);
  void note_models() const;

  const ServerOptions options_;
  Metrics& metrics_;
  MemoryBudget& memory_;
  ModelStore models_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Site> site_;  // guarded by the mutex; null: the index
  Batcher batcher_;
  std::unique_ptr<ImageQueue> images_;  // null: there is no encoder
};

}  // namespace dppl::serving
