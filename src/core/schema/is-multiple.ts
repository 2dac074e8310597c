/** True when a number is a multiple of another by their decimal digits, such as 0.3 and 0.1. */
export function isMultiple(value: number, divisor: number): boolean {
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shared = Math.min(exponent, divisorExponent);
  const scale = (number: bigint, from: number) => number * 10n ** BigInt(from - shared);
  return scale(digits, exponent) % scale(divisorDigits, divisorExponent) === 0n;
}

/** The digits and the exponent: 1.25 is 125 and -2. */
function decimal(value: number): readonly [digits: bigint, exponent: number] {
  const [coefficient = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = coefficient.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
