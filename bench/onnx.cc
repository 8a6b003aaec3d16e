// How fast an encoder is on images that are ready: `bench_onnx MODEL.onnx TENSOR OUT SIZE BATCH THREADS SECONDS`.
// TENSOR holds whole batches of float32, 3 × SIZE × SIZE an image. Writes the embeddings of all its images to OUT and
// prints images/s and images per second of processor time, for as many further rounds as fit the time.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "dppl/embed.h"
#include "seconds.h"

namespace {

std::vector<float> read_floats(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

void run(char** arguments) {
  dppl::EncoderOptions options;
  options.size = std::stoul(arguments[4]);
  options.batch = std::stoul(arguments[5]);
  options.threads = static_cast<unsigned>(std::stoul(arguments[6]));
  options.onnx.normalise = "unit";  // not used: the tensor is ready
  const auto encoder = dppl::open_encoder(arguments[1], options);
  const std::vector<float> tensor = read_floats(arguments[2]);
  const size_t images = tensor.size() / encoder->input_size();
  std::vector<float> rows(images * encoder->dim());
  encoder->encode(tensor, images, rows);
  std::ofstream(arguments[3], std::ios::binary)
      .write(reinterpret_cast<const char*>(rows.data()), static_cast<std::streamsize>(rows.size() * sizeof(float)));

  const double limit = std::stod(arguments[7]);
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();
  double seconds = 0;
  size_t done = 0;
  for (; seconds < limit; done += images) {
    encoder->encode(tensor, images, rows);
    seconds = dppl::bench::seconds_since(begin);
  }
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  std::printf("%.2f %.2f\n", static_cast<double>(done) / seconds, static_cast<double>(done) / processor);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 8) {
    std::fputs("usage: bench_onnx MODEL.onnx TENSOR OUT SIZE BATCH THREADS SECONDS\n", stderr);
    return 2;
  }
  try {
    run(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_onnx: %s\n", error.what());
    return 1;
  }
}
