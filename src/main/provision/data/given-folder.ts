/** Data source `folder`: a data set that a user has put on the node. */
import { known, type Foreseeing } from '../engine/step.ts';
import { expandHome } from '../node/home-path.ts';
import { countScript } from './data-folder.ts';
import type { DataStrategy, SourceOf } from './strategy.ts';

const placeOf = ({ work }: Pick<Foreseeing, 'work'>, { path }: SourceOf<'folder'>): string =>
  expandHome(path.trim(), known(work, 'facts').home);

export const givenFolder: DataStrategy<'folder'> = {
  foresee: (context, data) => [countScript(placeOf(context, data))],
  find: (context, data) => Promise.resolve(placeOf(context, data)),
  folder: (context, data) => Promise.resolve(placeOf(context, data)),
};
