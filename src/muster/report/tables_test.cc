#include "muster/report/tables.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/results/results_json.h"
#include "support/results_record.h"

namespace muster {
namespace {

TEST(Tables, TextIsAlignedAndMissingValuesShow) {
  EXPECT_EQ(text_table(results_from_json(results_record())),
            "method      accuracy %  class mean %  train s  test s\n"
            "bow-linear  50.0 ± 1.2          50.0     12.3    0.50\n"
            "other             25.0             -        -       -\n");
}

TEST(Tables, MultiLabelHasItsColumns) {
  const auto record = nlohmann::ordered_json::parse(
      R"({"results": [{"method": "x", "auc_mean": 0.9451, "map_mean": 0.561, "map_11_point_mean": 0.55,
          "labels": [{"label": "cat", "auc_mean": 0.95, "average_precision_mean": 0.5,
                      "average_precision_11_point_mean": 0.51}, {"label": "no dog"}]}]})");
  const Results results = results_from_json(record);
  EXPECT_EQ(text_table(results),
            "method    AUC  mean AP %  11-point %  train s  test s\n"
            "x       0.945       56.1        55.0        -       -\n");
  EXPECT_EQ(label_table(results.methods[0]),
            "label     AUC  AP %  11-point %\n"
            "cat     0.950  50.0        51.0\n"
            "no dog      -     -           -\n");
  EXPECT_EQ(label_table(MethodResult()), "");
}

TEST(Tables, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(
      csv_table(results_from_json(results_record())),
      "method,recipe,splits,accuracy_mean,accuracy_std,mean_class_accuracy_mean,auc_mean,map_mean,"
      "map_11_point_mean,train_seconds,test_seconds\r\n"
      "bow-linear,\"dsift:step=8,size=16/bow/linear-svm\",1,0.5,0.0125,0.5,,,,12.34,0.5\r\n"
      "other,,0,0.25,,,,,,,\r\n");
}

TEST(Tables, ConfusionInPerCentOfTheRow) {
  const Results results = results_from_json(results_record());
  EXPECT_EQ(confusion_table(results.methods[0], results.class_names),
            "   true class      1   2   3  tested\n"
            "1  cats & <dogs>  50  50   .       2\n"
            "2  größe \"L\"       .  50  50       2\n"
            "3  plain           .   .   .       0\n");
  EXPECT_EQ(confusion_table(results.methods[1], results.class_names), "");
}

TEST(Tables, SecondsKeepAboutThreeDigits) {
  EXPECT_EQ(seconds_text(0.126), "0.13");
  EXPECT_EQ(seconds_text(12.34), "12.3");
  EXPECT_EQ(seconds_text(1234.5), "1234");
}

TEST(Tables, PrintableReplacesControlsAndInvalidBytes) {
  EXPECT_EQ(printable("größe 猫 🐈"), "größe 猫 🐈");
  EXPECT_EQ(printable("a\nb\x1b"), "a\uFFFDb\uFFFD");
  EXPECT_EQ(printable("\xff\xc3"), "\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // surrogate
}

RC_GTEST_PROP(Tables, PrintableIsStable, (const std::string& text)) {
  RC_ASSERT(printable(printable(text)) == printable(text));
}

}  // namespace
}  // namespace muster
