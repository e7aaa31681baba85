/** Amounts as Kubernetes writes them: `2`, `500m`, `16Gi`, `1e3` (apimachinery's resource.Quantity). Pure. */

const units: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
  Ei: 1024 ** 6,
};

/** Undefined where it is no amount, or a negative one. */
export function amountOf(quantity: string): number | undefined {
  const match =
    /^(\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE]([+-]?\d{1,2})|(n|u|m|k|M|G|T|P|E|[KMGTPE]i)?)$/.exec(
      quantity,
    );
  if (match === null) return undefined;
  const [, digits = '', exponent, unit = ''] = match;
  const factor = exponent === undefined ? units[unit] : 10 ** Number(exponent);
  return factor === undefined ? undefined : Number(digits) * factor;
}
