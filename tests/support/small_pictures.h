#pragma once

#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace dppl::testing {

// A small world of pictures in files: 8 × 8 pixels, three classes, of which two have names that a careless page would
// take for markup. Pixels are the embeddings; images.npy has 20 pictures and then the 40 of the pool.
inline const std::vector<std::string> kHostileNames = {"<script>alert(1)</script>", "\"quoted\" & 'single'",
                                                       "Eichhörnchen 🐿"};

class SmallPictures {
 public:
  explicit SmallPictures(const TempDir& dir);

  // Fits with these options besides the files, entered in the ledger; returns the model's path.
  std::string fit(const std::string& name, const std::vector<std::string>& options) const;
  // A report about these models, with everything on it; status and output are checked. Returns its path.
  std::string report(const std::vector<std::string>& models, const std::vector<std::string>& more = {}) const;

 private:
  const TempDir& dir_;
};

}  // namespace dppl::testing
