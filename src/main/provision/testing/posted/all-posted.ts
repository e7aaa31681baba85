/** For tests: every posted failure that the rules were widened for. */
import type { Posted } from './posted.ts';
import { postedByGpusAndRanks } from './gpus-and-ranks.ts';
import { postedByNodes } from './nodes.ts';
import { postedByPackageManagers } from './packages.ts';
import { postedByIssue } from './by-issue.ts';
import { postedEveryday } from './everyday.ts';
import { postedEverydayAgain } from './everyday-again.ts';
import { postedEverydayThird } from './everyday-third.ts';
import { postedByIssueAgain } from './by-issue-again.ts';
import { postedBySearch } from './by-search.ts';
import { postedBySubjectAgain } from './by-subject-again.ts';
import { postedBySubject } from './by-subject.ts';
import { postedByRanks } from './ranks.ts';
import { postedBySystemsAndPackages } from './systems-and-packages.ts';
import { postedInTraining } from './training.ts';

export const allPosted: readonly Posted[] = [
  ...postedByRanks,
  ...postedInTraining,
  ...postedByPackageManagers,
  ...postedByNodes,
  ...postedBySubject,
  ...postedBySubjectAgain,
  ...postedByIssue,
  ...postedByIssueAgain,
  ...postedBySearch,
  ...postedByGpusAndRanks,
  ...postedBySystemsAndPackages,
  ...postedEveryday,
  ...postedEverydayAgain,
  ...postedEverydayThird,
];
