// The gate "rca-gate" of this pack is judged by finishline.
// This file marks the place of the validator in the pack; nothing runs it.
export const judgedBy = "finishline";
