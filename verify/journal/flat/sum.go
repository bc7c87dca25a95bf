package flat

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Decimal digits of a sum are kept nine at a time.
const (
	limbDigits = 9
	limbBase   = 1_000_000_000
)

// A Sum adds up exact numbers that are not negative, of any size and fraction.
// The zero Sum is 0. Adding a number and comparing with one cost time in
// proportion to its literal, and memory only where numbers are not small
// integers.
type Sum struct {
	small int64 // the part that small integers make
	nano  int64 // the part that small numbers of at most nine decimals make, in 10^-9
	wide  *wide // the rest, nil when there is none
}

// roomy reports whether one more small number can be added to a part.
func roomy(part int64) bool { return part < math.MaxInt64/4 }

// wide is a sum of limbs: limb i counts 10^(9i). Only limbs that are not zero
// are there.
type wide struct {
	limbs map[int64]uint32
	top   int64 // the greatest index
}

// Add adds a number that is not negative.
func (s *Sum) Add(d Decimal) {
	if i, ok := d.Small(); ok {
		if roomy(s.small) {
			s.small += i
			return
		}
	} else if d.exp >= -limbDigits && d.top() <= limbDigits && roomy(s.nano) {
		s.nano += parseSmall([]byte(d.digits)) * int64(pow10(int(d.exp)+limbDigits))
		return
	}
	s.widen().add(d.wide())
}

// AddSum adds another sum, which it leaves as it is.
func (s *Sum) AddSum(t *Sum) {
	if roomy(t.small) && roomy(s.small) && roomy(t.nano) && roomy(s.nano) {
		s.small += t.small
		s.nano += t.nano
	} else {
		s.widen().add(Int(t.small).wide())
		s.wide.add(nanos(t.nano))
	}
	if t.wide != nil {
		w := s.widen()
		for index, limb := range t.wide.limbs {
			w.addLimb(index, limb)
		}
	}
}

// nanos is so many 10^-9.
func nanos(n int64) Decimal {
	d := Int(n).wide()
	d.exp -= limbDigits
	return d
}

func (s *Sum) widen() *wide {
	if s.wide == nil {
		s.wide = &wide{limbs: map[int64]uint32{}, top: math.MinInt64}
	}
	return s.wide
}

// Limbs is how many pieces of memory the sum holds, for bounds.
func (s *Sum) Limbs() int {
	if s.wide == nil {
		return 0
	}
	return len(s.wide.limbs)
}

// add adds digits × 10^exp, piece by piece from the lowest.
func (w *wide) add(d Decimal) {
	index, within := divide(d.exp)
	piece, unit := uint32(0), pow10(within)
	for i := len(d.digits) - 1; i >= 0; i-- {
		piece += uint32(d.digits[i]-'0') * unit
		if unit *= 10; unit == limbBase || i == 0 {
			w.addLimb(index, piece)
			index, piece, unit = index+1, 0, 1
		}
	}
}

func (w *wide) addLimb(index int64, v uint32) {
	for v != 0 {
		sum := w.limbs[index] + v // below 2^31
		v = 0
		if sum >= limbBase {
			sum, v = sum-limbBase, 1
		}
		if sum == 0 {
			delete(w.limbs, index)
		} else {
			w.limbs[index] = sum
			w.top = max(w.top, index)
		}
		index++
	}
}

// divide gives the limb that holds a decimal position, and the place in it.
func divide(position int64) (index int64, within int) {
	index = position / limbDigits
	within = int(position % limbDigits)
	if within < 0 {
		index, within = index-1, within+limbDigits
	}
	return index, within
}

func pow10(n int) uint32 {
	p := uint32(1)
	for range n {
		p *= 10
	}
	return p
}

// Cmp compares the sum with a number.
func (s *Sum) Cmp(d Decimal) int {
	if d.Sign() < 0 {
		return 1
	}
	if s.wide == nil && s.nano == 0 {
		if i, ok := d.Small(); ok {
			return cmp.Compare(s.small, i)
		}
	}
	return s.whole().cmp(d.wide())
}

// whole is all of the sum as limbs. The small parts are folded in for good,
// which changes no value.
func (s *Sum) whole() *wide {
	w := s.widen()
	w.add(Int(s.small).wide())
	w.add(nanos(s.nano))
	s.small, s.nano = 0, 0
	return w
}

// cmp compares from the top, and looks at no more limbs than d has digits.
func (w *wide) cmp(d Decimal) int {
	if len(w.limbs) == 0 || d.digits == "" {
		return cmp.Compare(len(w.limbs), len(d.digits))
	}
	top, _ := divide(d.top() - 1)
	if c := cmp.Compare(w.top, top); c != 0 {
		return c
	}
	met := 0
	for index, at := top, 0; at < len(d.digits); index-- {
		low := index * limbDigits // the position of the limb's last digit
		piece := uint32(0)
		for at < len(d.digits) && d.top()-1-int64(at) >= low {
			piece += uint32(d.digits[at]-'0') * pow10(int(d.top()-1-int64(at)-low))
			at++
		}
		limb := w.limbs[index]
		if limb != 0 {
			met++
		}
		if c := cmp.Compare(limb, piece); c != 0 {
			return c
		}
	}
	if met < len(w.limbs) { // d has no more digits, the sum has
		return 1
	}
	return 0
}

// mostLimbs bounds what String writes out in full.
const mostLimbs = 12

// String writes the sum for people: in full unless it is of absurd size.
func (s *Sum) String() string {
	if s.wide == nil && s.nano == 0 {
		return fmt.Sprint(s.small)
	}
	w := s.whole()
	if len(w.limbs) == 0 {
		return "0"
	}
	low := int64(0)
	if len(w.limbs) <= 2*mostLimbs {
		for index := range w.limbs {
			low = min(low, index)
		}
	}
	if w.top > mostLimbs || low < -mostLimbs || len(w.limbs) > 2*mostLimbs {
		return fmt.Sprintf("about %de%d", w.limbs[w.top], w.top*limbDigits)
	}
	var b strings.Builder
	for index := max(w.top, 0); index >= 0; index-- {
		fmt.Fprintf(&b, "%09d", w.limbs[index])
	}
	text := strings.TrimLeft(b.String(), "0")
	if text == "" {
		text = "0"
	}
	if low == 0 {
		return text
	}
	b.Reset()
	for index := int64(-1); index >= low; index-- {
		fmt.Fprintf(&b, "%09d", w.limbs[index])
	}
	return text + "." + strings.TrimRight(b.String(), "0")
}

// Zero reports whether nothing but zeros was added.
func (s *Sum) Zero() bool {
	return s.small == 0 && s.nano == 0 && (s.wide == nil || len(s.wide.limbs) == 0)
}
