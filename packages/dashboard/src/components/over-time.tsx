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
  /** How many rows stand for it while it loads. */
  readonly loadingRows?: number;
  before?(totals: Stats['totals']): ComponentChildren;
  after?(totals: Stats['totals']): ComponentChildren;
}

/** The figures of the chosen range as a chart, with elements about their sums above and below. */
export function OverTime({ campaignId, loadingRows = 8, before, after }: OverTimeProps) {
  const range = useRange();
  const stats = useQuery({
    queryKey: ['stats', campaignId, range.name],
    queryFn: ({ signal }) => client.stats.get({ ...range.query(), campaignId }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: useRefreshMs(),
  });
  if (stats.isPending) return <Loading rows={loadingRows} />;
  if (stats.isLoadingError) return <Failure error={stats.error} retry={() => void stats.refetch()} />;
  return (
    <>
      {before?.(stats.data.totals)}
      <Chart label={`Emails over time: ${range.name}`} stats={stats.data} />
      {after?.(stats.data.totals)}
    </>
  );
}
