package evidence

// BelowTrust reports whether a trust tier, as it is written, has a lower
// technical rank than a minimum (contract 07, section 2). An unknown tier and
// human-approved are below every minimum.
func BelowTrust(tier, minimum string) bool { return belowMinimum(tier, minimum) }
