// The tool's answers about real files, byte for byte.
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

struct GoldenCase {
  const char* golden;
  std::vector<std::string> args;
  friend void PrintTo(const GoldenCase& test_case, std::ostream* out) { *out << test_case.golden; }
};

class GoldenTest : public testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenTest, AnswersAsRecorded) {
  const ToolResult result = RunTool(GetParam().args);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  ExpectGolden(GetParam().golden, result.out);
}

INSTANTIATE_TEST_SUITE_P(Info, GoldenTest,
                         testing::Values(GoldenCase{"info_linear_xnnpack.txt", {"info", "linear_xnnpack.pte"}},
                                         GoldenCase{"info_linear_xnnpack.json", {"info", "--json", "linear_xnnpack.pte"}},
                                         GoldenCase{"info_partially_delegated_bytes.txt", {"info", "--bytes", "partially_delegated.pte"}},
                                         GoldenCase{"info_delegates_empty_blob.json", {"info", "--json", "delegates_empty_blob.pte"}},
                                         GoldenCase{"info_constant_methods.txt", {"info", "constant_methods.pte"}},
                                         GoldenCase{"info_constant_methods_nonfinite.txt", {"info", "constant_methods_nonfinite.pte"}},
                                         GoldenCase{"info_dynamic_shape.txt", {"info", "dynamic_shape.pte"}},
                                         GoldenCase{"info_dynamic_shape.json", {"info", "--json", "dynamic_shape.pte"}},
                                         GoldenCase{"info_channels_last_input.txt", {"info", "channels_last_input.pte"}},
                                         GoldenCase{"info_mutable_buffer_init.txt", {"info", "mutable_buffer_init.pte"}},
                                         GoldenCase{"info_minimal_empty_method.txt", {"info", "minimal_empty_method.pte"}},
                                         GoldenCase{"info_flat_tensor_shared.txt", {"info", "flat_tensor_shared.ptd"}},
                                         GoldenCase{"info_flat_tensor_shared.json", {"info", "--json", "flat_tensor_shared.ptd"}},
                                         GoldenCase{"info_bundled_linear_xnnpack.txt", {"info", "bundled_linear_xnnpack.bpte"}},
                                         GoldenCase{"info_bundled_add.json", {"info", "--json", "bundled_add.bpte"}}));

INSTANTIATE_TEST_SUITE_P(
    Ls, GoldenTest,
    testing::Values(GoldenCase{"ls_linear_xnnpack.txt", {"ls", "linear_xnnpack.pte"}},
                    GoldenCase{"ls_linear_xnnpack.json", {"ls", "--json", "linear_xnnpack.pte"}},
                    GoldenCase{"ls_mutable_buffer_init_bytes.txt", {"ls", "--bytes", "mutable_buffer_init.pte"}},
                    GoldenCase{"ls_delegates_shared_across_methods.txt", {"ls", "delegates_shared_across_methods.pte"}},
                    GoldenCase{"ls_delegate_inline.json", {"ls", "--json", "delegate_inline.pte"}},
                    GoldenCase{"ls_bundled_kinds.txt", {"ls", "bundled_kinds.bpte"}},
                    GoldenCase{"ls_bundled_add.json", {"ls", "--json", "bundled_add.bpte"}},
                    GoldenCase{"ls_flat_tensor_dtypes.txt", {"ls", "flat_tensor_dtypes.ptd"}},
                    GoldenCase{"ls_flat_tensor_dtypes_by_size.txt", {"ls", "--sort", "size", "flat_tensor_dtypes.ptd"}},
                    GoldenCase{"ls_flat_tensor_zero_size.json", {"ls", "--json", "flat_tensor_zero_size.ptd"}},
                    GoldenCase{"ls_named_data_keys.txt", {"ls", "named_data_keys.pte"}},
                    GoldenCase{"ls_named_data_key_nul.txt", {"ls", "named_data_key_nul.pte"}},
                    GoldenCase{"ls_flat_tensor_keys.txt", {"ls", "flat_tensor_keys.ptd"}}));

INSTANTIATE_TEST_SUITE_P(Verify, GoldenTest,
                         testing::Values(GoldenCase{"verify_linear_xnnpack.txt", {"verify", "linear_xnnpack.pte"}},
                                         GoldenCase{"verify_linear_xnnpack.json", {"verify", "--json", "linear_xnnpack.pte"}},
                                         GoldenCase{"verify_several.json", {"verify", "--json", "add.pte", "flat_tensor_shared.ptd"}}));

INSTANTIATE_TEST_SUITE_P(Help, GoldenTest,
                         testing::Values(GoldenCase{"help.txt", {"help"}}, GoldenCase{"help_info.txt", {"help", "info"}},
                                         GoldenCase{"help_ls.txt", {"ls", "--help"}}, GoldenCase{"help_dump.txt", {"help", "dump"}},
                                         GoldenCase{"help_cat.txt", {"cat", "--help"}}, GoldenCase{"help_verify.txt", {"help", "verify"}},
                                         GoldenCase{"help_extract.txt", {"help", "extract"}}, GoldenCase{"help_pack.txt", {"help", "pack"}},
                                         GoldenCase{"help_add.txt", {"help", "add"}}, GoldenCase{"help_rm.txt", {"help", "rm"}}));

INSTANTIATE_TEST_SUITE_P(
    Plan, GoldenTest,
    testing::Values(
        GoldenCase{"plan_add_partially_delegated.txt",
                   {"add", "partially_delegated.pte", "-o", "new.pte", "--dry-run", "a note=add.pte", "--align", "a note=4096"}},
        GoldenCase{"plan_add_partially_delegated.json",
                   {"add", "partially_delegated.pte", "-o", "new.pte", "--dry-run", "--json", "a note=add.pte"}},
        GoldenCase{"plan_rm_flat_tensor_shared_bytes.txt",
                   {"rm", "flat_tensor_shared.ptd", "weight", "-o", "new.ptd", "--dry-run", "--bytes", "--reference-layout"}},
        GoldenCase{"plan_pack.json", {"pack", "x=add.pte", "y=linear_xnnpack.pte", "-o", "new.ptd", "--dry-run", "--json"}},
        GoldenCase{"plan_extract_partially_delegated.txt", {"extract", "partially_delegated.pte", "-o", "parts", "--dry-run"}},
        GoldenCase{"plan_extract_partially_delegated.json", {"extract", "partially_delegated.pte", "-o", "parts", "--dry-run", "--json"}}));

INSTANTIATE_TEST_SUITE_P(
    Report, GoldenTest,
    testing::Values(GoldenCase{"report_add_mutable_buffer_init.json",
                               {"add", "mutable_buffer_init.pte", "-o", "/dev/null", "x=add.pte", "--json"}},
                    GoldenCase{"report_rm_flat_tensor_shared.json", {"rm", "flat_tensor_shared.ptd", "other", "-o", "/dev/null", "--json"}},
                    GoldenCase{"report_pack.json", {"pack", "x=add.pte", "y=linear_xnnpack.pte", "-o", "/dev/null", "--json"}}));

}  // namespace
}  // namespace pte::test
