package flat

import "strconv"

// AppendNormal appends the number in its one normal form, digits and exponent:
// equal numbers have the same form, and different ones different forms unless
// their exponents are beyond telling apart. It is for digests of values.
func (d Decimal) AppendNormal(dst []byte) []byte {
	d = d.wide()
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return strconv.AppendInt(dst, d.exp, 10)
}
