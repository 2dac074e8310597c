/** Whether a number is a multiple of another, by their decimal digits: 0.3 is one of 0.1. */
export function isMultiple(value: number, divisor: number): boolean {
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shared = Math.min(exponent, divisorExponent);
  const scale = (number: bigint, from: number) => number * 10n ** BigInt(from - shared);
  return scale(digits, exponent) % scale(divisorDigits, divisorExponent) === 0n;
}

/** 1.25 as 125 and -2. */
function decimal(value: number): readonly [digits: bigint, exponent: number] {
  const [coefficient = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = coefficient.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
