#include "muster/report/html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/results/results_json.h"
#include "support/results_record.h"

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

// The page without what is inside <style> and <script>.
std::string markup(const std::string& page) {
  std::string out;
  size_t at = 0;
  for (const std::string name : {"style", "script", "script"}) {
    const size_t open = page.find('>', page.find("<" + name, at)) + 1;
    const size_t close = page.find("</" + name, open);
    EXPECT_NE(close, std::string::npos);
    out += page.substr(at, open - at);
    at = close;
  }
  return out + page.substr(at);
}

// Every element is closed in the order it was opened: escaping that fails would break this.
void expect_balanced(const std::string& whole_page) {
  const std::string page = markup(whole_page);
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (name == "!DOCTYPE" || name == "meta" || name == "img" || name == "br" || tag.ends_with("/"))
      continue;
    if (!name.starts_with("/")) {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty()) << name;
      ASSERT_EQ("/" + open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Html, ShowsEverySection) {
  const std::string page = html_report(results_from_json(results_record()));
  for (const char* title : {"Methods", "Accuracy per class", "Method by method", "Recipes",
                            "Times and memory", "Data", "Protocol", "Machine"})
    EXPECT_THAT(page, HasSubstr(">" + std::string(title) + "</h2>"));
  for (const char* title : {"Confusion", "Most confident mistakes"})
    EXPECT_THAT(page, HasSubstr(">" + std::string(title) + "</h3>"));
  EXPECT_THAT(page, HasSubstr("50.0 ± 1.2 %"));
  EXPECT_THAT(page, HasSubstr("dsift:step=8,size=16/bow/linear-svm"));
  expect_balanced(page);
}

TEST(Html, EscapesNamesAndItems) {
  const std::string page = html_report(results_from_json(results_record()));
  EXPECT_THAT(page, HasSubstr("cats &amp; &lt;dogs&gt;"));
  EXPECT_THAT(page, HasSubstr("größe &quot;L&quot;"));
  EXPECT_THAT(page, HasSubstr("&lt;c&gt;.png"));
  EXPECT_THAT(page, Not(HasSubstr("<dogs>")));
}

TEST(Html, FetchesNothing) {
  const std::string page = html_report(results_from_json(results_record()));
  EXPECT_THAT(page, HasSubstr("src=\"data:image/png;base64,AAAA\""));
  for (const char* outside : {"http:", "https:", "<link", "@import", "url(", "<script src"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
}

TEST(Html, PairedDifferencesHaveAnInterval) {
  nlohmann::ordered_json record = results_record();
  const auto splits = [](std::vector<double> accuracies) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (size_t s = 0; s < accuracies.size(); ++s)
      out.push_back({{"seed", s}, {"accuracy", accuracies[s]}});
    return out;
  };
  record["results"][0]["splits"] = splits({0.70, 0.72, 0.74});
  record["results"][1]["splits"] = splits({0.60, 0.61, 0.65});
  const std::string page = markup(html_report(results_from_json(record)));
  // Differences of 10, 11 and 9 points: 10 +- 4.303 / sqrt(3).
  EXPECT_THAT(page, HasSubstr("class=\"better\">+10.0<br><small>+7.5 to +12.5</small>"));
  EXPECT_THAT(page, HasSubstr("class=\"worse\">−10.0<br><small>−12.5 to −7.5</small>"));
  EXPECT_THAT(page, HasSubstr("67.0 to 77.0 %"));
}

TEST(Html, ManyMethodsAreComparedWithTheBestOfTheirGroupOnly) {
  nlohmann::ordered_json record{{"results", nlohmann::ordered_json::array()}};
  for (int m = 0; m < 10; ++m)
    record["results"].push_back({{"method", fmt::format("m{}", m)},
                                 {"group", m < 5 ? "a" : "b"},
                                 {"accuracy_mean", 0.1 * m},
                                 {"splits", {{{"seed", 1}, {"accuracy", 0.1 * m}}}}});
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">m0</th><td>m4</td><td data-v=\"-0.4\">−40.0</td>"));
  EXPECT_THAT(page,
              HasSubstr("<th scope=\"row\">m5</th><td>m9</td><td data-v=\"-0.4\">−40.0</td>"));
}

TEST(Html, ComparisonSaysReachedOrShort) {
  nlohmann::ordered_json record = results_record();
  record["comparison"] = {
      {{"name", "a"}, {"unit", "percent"}, {"ours", 0.80}, {"paper", 0.75}, {"verdict", "reached"}},
      {{"name", "b"},
       {"unit", "percent"},
       {"ours", 0.70},
       {"paper", 0.75},
       {"verdict", "short by 5.0"},
       {"note", "<why>"}}};
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page, HasSubstr("1 of 2 rows reached"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"reached\"><th scope=\"row\">a</th>"));
  EXPECT_THAT(
      page,
      HasSubstr("−5.0</td><td class=\"verdict\">short by 5.0</td><td class=\"wrap\">&lt;why&gt;"));
  expect_balanced(page);
}

TEST(Html, ANoteColumnOnlyIfSomeRowHasANote) {
  Results results;
  results.comparison.resize(2);
  EXPECT_THAT(html_report(results), Not(HasSubstr(">Note</th>")));
  EXPECT_THAT(markup(html_report(results)), Not(HasSubstr("class=\"wrap\"")));
  results.comparison[1].note = "why";
  EXPECT_THAT(html_report(results), HasSubstr(">Note</th>"));
  expect_balanced(html_report(results));
}

TEST(Html, ASweepShowsItsChartBeforeItsTables) {
  Results results = results_from_json(results_record());
  results.comparison.resize(1);
  results.curves.push_back({"t", "D", "Accuracy", "percent", false, {}});
  const std::string page = html_report(results);
  for (const char* table : {"id=\"comparison\"", "id=\"methods\""})
    EXPECT_LT(page.find("data-chart=\"0\""), page.find(table)) << table;
}

TEST(Html, CurvesHaveTheirValuesAsATableAndAsData) {
  nlohmann::ordered_json record = results_record();
  record["curves"] = nlohmann::ordered_json::parse(
      R"json([{"title": "t </script>", "x": {"label": "D", "log": true},
    "y": {"label": "Accuracy", "unit": "percent"},
    "series": [{"name": "bow", "points": [[250, 0.7, 0.68, 0.72]]}, {"name": "bow", "paper": true, "points": [[250, 0.71]]}]}])json");
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page, HasSubstr("<td data-v=\"0.7\">70.0 %</td><td>68.0 % to 72.0 %</td>"));
  EXPECT_THAT(page, HasSubstr("bow (paper)</th>"));
  EXPECT_THAT(page, HasSubstr(R"("points":[[250.0,0.7,0.68,0.72]])"));
  EXPECT_THAT(page, HasSubstr("t \\u003c/script>"));
  expect_balanced(page);
}

TEST(Html, WeightMapsAndPicturesAreShownOnlyWhenEmbedded) {
  nlohmann::ordered_json record = results_record();
  record["weight_maps"] = nlohmann::ordered_json::parse(
      R"([{"title": "coast", "levels": [[0.5], [0.1, 0.2, 0.3, 0.4]]}])");
  record["pictures"] = nlohmann::ordered_json::parse(
      R"([{"title": "in", "source": "data:image/png;base64,BBBB"}, {"title": "out", "source": "file:///x.png"}])");
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page, HasSubstr("level 0: 0.500; level 1: 0.100 0.200 0.300 0.400"));
  EXPECT_THAT(page, HasSubstr("base64,BBBB"));
  EXPECT_THAT(page, Not(HasSubstr("file:///")));
  expect_balanced(page);
}

TEST(Html, SharesOfBranchesAreATable) {
  nlohmann::ordered_json record = results_record();
  record["results"][0]["splits"][0]["kernel_shares"] = nlohmann::ordered_json::parse(
      R"([{"branch": "fisher", "share": 0.8, "parts": [1]}, {"branch": "lbp", "share": 0.2, "parts": [1]}])");
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page, HasSubstr("<td>fisher</td><td data-v=\"0.8\">80.0 %</td>"));
  EXPECT_THAT(page, Not(HasSubstr("Weights of cells")));
  expect_balanced(page);
}

TEST(Html, ManyClassesBecomeAListOfConfusions) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array(), predictions = names;
  for (int c = 0; c < 60; ++c) {
    names.push_back(fmt::format("class {}", c));
    predictions.push_back(
        {{"item", fmt::format("{}", c)}, {"label", c}, {"predicted", c % 2 ? c : (c + 1) % 60}});
  }
  auto record = nlohmann::ordered_json::parse(
      R"({"results": [{"method": "x", "accuracy_mean": 0.5, "splits": [{"seed": 1}]}]})");
  record["class_names"] = names;
  record["results"][0]["splits"][0]["predictions"] = predictions;
  const std::string page = html_report(results_from_json(record));
  EXPECT_THAT(page, HasSubstr("most frequent confusions"));
  EXPECT_THAT(page, Not(HasSubstr("class=\"confusion\"")));
  expect_balanced(page);
}

TEST(Html, ATypicalReportStaysSmall) {
  // 10 methods x 15 classes x 5 splits of 1,500 items, 200 pictures of 6 kB.
  nlohmann::ordered_json record{{"version", "1"}};
  for (int c = 0; c < 15; ++c) record["class_names"].push_back(fmt::format("class {}", c));
  for (int m = 0; m < 10; ++m) {
    nlohmann::ordered_json method{{"method", fmt::format("method {}", m)},
                                  {"accuracy_mean", 0.5 + 0.01 * m}};
    for (int s = 0; s < 5; ++s) {
      nlohmann::ordered_json split{{"seed", s}, {"accuracy", 0.5 + 0.01 * m + 0.002 * s}};
      for (int i = 0; i < 1500; ++i)
        split["predictions"].push_back({{"item", fmt::format("class {}/{}.jpg", i % 15, i)},
                                        {"label", i % 15},
                                        {"predicted", (i * (m + 1) + s) % 15},
                                        {"confidence", i / 1500.0}});
      method["splits"].push_back(split);
    }
    record["results"].push_back(method);
  }
  Results results = results_from_json(record);
  const std::vector<std::string> items = pictured_items(results);
  EXPECT_LE(items.size(), 200u);
  for (const std::string& item : items)
    results.thumbnails[item] = "data:image/jpeg;base64," + std::string(6000, 'A');
  EXPECT_LT(html_report(results).size(), 8u << 20);
}

TEST(Html, MistakesComeMostConfidentFirst) {
  const std::string page = html_report(results_from_json(results_record()));
  EXPECT_LT(page.find("80.0 %"), page.find("60.0 %"));
}

TEST(Html, AnItemWrongInTwoSplitsIsShownOnce) {
  nlohmann::ordered_json record = results_record();
  nlohmann::ordered_json& splits = record["results"][0]["splits"];
  splits.push_back(nlohmann::ordered_json(splits[0]));
  const std::string page = html_report(results_from_json(record));
  EXPECT_EQ(page.find("b.png"), page.rfind("b.png"));
}

TEST(Html, ResultsWithoutMethodsOrPredictionsStillMakeAPage) {
  for (const char* text : {R"({"results": []})", R"({"results": [{"method": "x"}]})"}) {
    const std::string page = html_report(results_from_json(nlohmann::ordered_json::parse(text)));
    EXPECT_THAT(page, Not(HasSubstr(">Confusion<")));
    expect_balanced(page);
  }
}

RC_GTEST_PROP(Html, AnyNameLeavesThePageWhole, (const std::string& name)) {
  nlohmann::ordered_json record = results_record();
  record["class_names"][0] = name;
  record["results"][0]["method"] = name;
  record["data"]["path"] = name;
  expect_balanced(html_report(results_from_json(record)));
}

}  // namespace
}  // namespace muster
