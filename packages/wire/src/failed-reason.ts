/**
 * Finish reasons that mean a failure, in lower case. If an answer ends with such a reason, none of its calls
 * runs.
 */
export const failedReason =
  /error|exception|fail|crash|malformed|unexpected|invalid|abort|cancel|preempt|time_?out|insufficient|overload|unavailable|too_many|missing|function_call_filter/;
