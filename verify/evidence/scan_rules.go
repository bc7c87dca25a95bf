package evidence

import "finishline/verify"

var scanRules = []verify.Rule{}
