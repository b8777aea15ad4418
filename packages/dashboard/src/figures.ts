import type { Stats } from './types';

type Figures = Stats['totals'];

/** One line of a chart, one column of its table and one figure above it. */
export interface Measure {
  readonly name: string;
  /** Custom property of its colour. */
  readonly color: string;
  of(figures: Figures): number;
}

/** The figures of a chart over time and of the totals above it. */
export const MEASURES: readonly Measure[] = [
  { name: 'Sent', color: '--series-1', of: ({ sent }) => sent },
  { name: 'Delivered', color: '--series-2', of: ({ delivered }) => delivered },
  { name: 'Opened by people', color: '--series-3', of: ({ people }) => people.uniqueOpens },
  { name: 'Clicked by people', color: '--series-4', of: ({ people }) => people.uniqueClicks },
  { name: 'Bounced', color: '--series-5', of: ({ bounced }) => bounced },
  { name: 'Complained', color: '--series-6', of: ({ complained }) => complained },
];
