/** What a GPU's device number on the PCI bus says of it, where no driver can say more. */
import type { NodeFacts } from '../../../shared/node/provision.ts';

/** The first device of Turing, the first generation that the open modules drive; those before need NVIDIA's own. */
const turing = 0x1e00;
/** The first of Blackwell: the numbers before it are Ada's and Hopper's. */
const blackwell = 0x2900;

const devicesOf = ({ gpus }: Pick<NodeFacts, 'gpus'>): number[] =>
  gpus.map(({ name }) => Number(/^NVIDIA (0x[0-9a-f]{4})$/i.exec(name)?.[1]));

/** From Blackwell on GPUs have no other modules than the open ones. Of several GPUs the oldest decides. */
export function openModules(facts: Pick<NodeFacts, 'gpus'>): boolean {
  const devices = devicesOf(facts);
  return devices.length > 0 && devices.every((device) => device >= turing);
}

/** RTX 50, RTX PRO, B200 and newer. */
export const hasBlackwell = (facts: Pick<NodeFacts, 'gpus'>): boolean =>
  devicesOf(facts).some((device) => device >= blackwell);
