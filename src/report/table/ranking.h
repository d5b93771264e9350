/* Lists of columns: what calls are ranked by, and the other times beside it. Private to report. */
#ifndef TARE_REPORT_TABLE_RANKING_H
#define TARE_REPORT_TABLE_RANKING_H

#include "analysis/value.h"

#define BY		 ANALYSIS_RANKING
#define RANKED_INCLUSIVE BY "_inclusive," BY "_inclusive_percent," BY "_inclusive_bar,"
#define OTHERS_INCLUSIVE "elapsed_inclusive,application_inclusive,"
#define OTHERS_EXCLUSIVE "elapsed_exclusive,application_exclusive,"
#define OTHERS		 "elapsed_inclusive,elapsed_exclusive,application_inclusive,application_exclusive,"
/* As columns go where they have no room. */
#define OTHERS_INCLUSIVE_DROPPED "application_inclusive,elapsed_inclusive,"
#define OTHERS_DROPPED                                                                             \
	"application_inclusive,application_exclusive,elapsed_inclusive,elapsed_exclusive,"

#endif
