// The report: report.html, which is compiled in, with the data put into it. It
// needs no network and no other file.
#include "sim/profile/Profile.h"

namespace lossgrad::sim::profile {

extern const char *const reportPage; // generated from report.html
std::string toJsonWithSpans(const std::vector<LaunchProfile> &profiles);

std::string toHtml(const std::vector<LaunchProfile> &profiles) {
  std::string page = reportPage;
  const std::string mark = "@DATA@";
  page.replace(page.find(mark), mark.size(), toJsonWithSpans(profiles));
  return page;
}

} // namespace lossgrad::sim::profile
