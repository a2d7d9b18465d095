#include "muster/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/report/test_record.h"

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

// Every element is closed in the order it was opened: escaping that fails would break this.
void expect_balanced(const std::string& page) {
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
  const std::string page = html_report(read_results(test_record()));
  for (const char* title :
       {"Methods", "Confusion of bow-linear", "Accuracy per class of bow-linear",
        "Most confident mistakes", "Recipes", "Times", "Data", "Protocol", "Machine"})
    EXPECT_THAT(page, HasSubstr(">" + std::string(title) + "</h2>"));
  EXPECT_THAT(page, HasSubstr("50.0 ± 1.2 %"));
  EXPECT_THAT(page, HasSubstr("dsift:step=8,size=16/bow/linear-svm"));
  expect_balanced(page);
}

TEST(Html, EscapesNamesAndItems) {
  const std::string page = html_report(read_results(test_record()));
  EXPECT_THAT(page, HasSubstr("cats &amp; &lt;dogs&gt;"));
  EXPECT_THAT(page, HasSubstr("größe &quot;L&quot;"));
  EXPECT_THAT(page, HasSubstr("&lt;c&gt;.png"));
  EXPECT_THAT(page, Not(HasSubstr("<dogs>")));
}

TEST(Html, FetchesNothing) {
  const std::string page = html_report(read_results(test_record()));
  EXPECT_THAT(page, HasSubstr("src=\"data:image/png;base64,AAAA\""));
  for (const char* outside : {"http:", "https:", "<script", "<link", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(Html, MistakesComeMostConfidentFirst) {
  const std::string page = html_report(read_results(test_record()));
  EXPECT_LT(page.find("80.0 %"), page.find("60.0 %"));
}

TEST(Html, AnItemWrongInTwoSplitsIsShownOnce) {
  nlohmann::ordered_json record = test_record();
  nlohmann::ordered_json& splits = record["results"][0]["splits"];
  splits.push_back(nlohmann::ordered_json(splits[0]));
  const std::string page = html_report(read_results(record));
  EXPECT_EQ(page.find("b.png"), page.rfind("b.png"));
}

TEST(Html, ResultsWithoutMethodsOrPredictionsStillMakeAPage) {
  for (const char* text : {R"({"results": []})", R"({"results": [{"method": "x"}]})"}) {
    const std::string page = html_report(read_results(nlohmann::ordered_json::parse(text)));
    EXPECT_THAT(page, Not(HasSubstr("Confusion")));
    expect_balanced(page);
  }
}

RC_GTEST_PROP(Html, AnyNameLeavesThePageWhole, (const std::string& name)) {
  nlohmann::ordered_json record = test_record();
  record["class_names"][0] = name;
  record["results"][0]["method"] = name;
  record["data"][name] = name;
  expect_balanced(html_report(read_results(record)));
}

}  // namespace
}  // namespace muster
