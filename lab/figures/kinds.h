#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dppl/sweep.h"
#include "lab/figures/chart.h"
#include "lab/figures/rows.h"
#include "report/figure.h"

// The kinds of figures: each draws none where the rows cannot fill it.
namespace dppl {

struct FigureSource {
  const SweepResults& results;
  SweepRows rows;                    // by ratio
  std::vector<std::string> methods;  // in the order of the plan: one has the same look in every figure
};

std::vector<Figure> draw_budget(const FigureSource& source);
std::vector<Figure> draw_minority(const FigureSource& source);
std::vector<Figure> draw_encoders(const FigureSource& source);
std::vector<Figure> draw_pool_size(const FigureSource& source);
std::vector<Figure> draw_pool_choice(const FigureSource& source);
std::vector<Figure> draw_top_k(const FigureSource& source);
std::vector<Figure> draw_coinpress(const FigureSource& source);
std::vector<Figure> draw_mechanisms(const FigureSource& source);
std::vector<Figure> draw_projection(const FigureSource& source);
std::vector<Figure> draw_runtime(const FigureSource& source);
std::vector<Figure> draw_class_sizes(const FigureSource& source);
std::vector<Figure> draw_maps(const FigureSource& source);

// ---- What several of them use

// Methods against ρ, one panel a ratio.
Chart comparison(std::string name, std::string caption, const FigureSource& source);
// The same chart for every place that has something to show.
std::vector<Figure> for_every_place(const SweepRows& rows, const Chart& model, std::string_view what,
                                    const std::function<bool(const SweepRows&)>& fills);
// "Best K · digits, vit"
std::string titled(std::string_view what, const Place& place);
std::string place_words(const Place& place);  // for Figure::place
void append(std::vector<Figure>& figures, std::vector<Figure> more);

}  // namespace dppl
