/** The numbers that have Roman numerals. */
const MAX_ROMAN = 3_999;
const ROMAN_ONES = ['I', 'X', 'C', 'M'];
const ROMAN_FIVES = ['V', 'L', 'D'];

/** Browsers ignore a number that does not fit into 32 bits. */
const MAX_NUMBER = 2 ** 31;

/** The number that an attribute sets, such as the `start` of a list. */
export function numberOf(attribute: string | undefined): number | undefined {
  const number = Number.parseInt(attribute ?? '', 10);
  return number >= -MAX_NUMBER && number < MAX_NUMBER ? number : undefined;
}

/**
 * The number of an item of an ordered list, as its `type` asks for; in digits where the type cannot show it.
 * @param number a whole number
 * @param type 1, a, A, i or I; anything else counts as 1
 */
export function listMarker(number: number, type: string | undefined): string {
  if (type === 'a' && number > 0) return letters(number);
  if (type === 'A' && number > 0) return letters(number).toUpperCase();
  if (type === 'i' && number > 0 && number <= MAX_ROMAN) return roman(number).toLowerCase();
  if (type === 'I' && number > 0 && number <= MAX_ROMAN) return roman(number);
  return String(number);
}

/** a to z, then aa, ab and so on. */
function letters(number: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(0x61 + ((rest - 1) % 26)) + text;
  return text;
}

function roman(number: number): string {
  const digits = [...String(number)].map(Number).reverse();
  return digits.map(romanDigit).reverse().join('');
}

/** @param place 0 for ones, 1 for tens, and so on */
function romanDigit(digit: number, place: number): string {
  const one = ROMAN_ONES[place]!;
  if (digit % 5 < 4) return (digit < 5 ? '' : ROMAN_FIVES[place]!) + one.repeat(digit % 5);
  return one + (digit === 4 ? ROMAN_FIVES[place]! : ROMAN_ONES[place + 1]!);
}
