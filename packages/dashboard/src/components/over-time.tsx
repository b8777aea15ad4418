import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { client } from '../api';
import { useRefreshMs } from '../live';
import type { Stats } from '../types';
import { Chart } from './chart';
import { useRange } from './range-picker';
import { Failure, Loading } from './states';

interface OverTimeProps {
  /** If absent, all emails. */
  readonly campaignId?: string;
  /** True where more follows below. */
  readonly fillsView?: boolean;
  before?(totals: Stats['totals']): ComponentChildren;
  after?(totals: Stats['totals']): ComponentChildren;
}

/** The figures of the chosen range as a chart, with elements about their sums above and below. */
export function OverTime({ campaignId, fillsView, before, after }: OverTimeProps) {
  const range = useRange();
  const stats = useQuery({
    queryKey: ['stats', campaignId, range.name],
    queryFn: ({ signal }) => client.stats.get({ ...range.query(), campaignId }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(),
  });
  if (stats.isPending) return <Loading rows={8} fillsView={fillsView} />;
  if (stats.isLoadingError) return <Failure error={stats.error} retry={() => void stats.refetch()} />;
  return (
    <>
      {before?.(stats.data.totals)}
      <Chart label={`Emails over time: ${range.name}`} stats={stats.data} />
      {after?.(stats.data.totals)}
    </>
  );
}
