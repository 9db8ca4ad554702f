/** Reasons of an end that mean a failure, in lower case: no call of such an answer runs. */
export const failedReason =
  /error|exception|fail|crash|malformed|unexpected|invalid|abort|cancel|preempt|time_?out|insufficient|overload|unavailable|too_many|missing|function_call_filter/;
