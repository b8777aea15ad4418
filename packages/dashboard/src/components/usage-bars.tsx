import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { formatBytes, formatCount, formatPercent, Time } from '../format';
import type { Usage } from '../types';
import { Badge } from './badge';
import { Failure, Loading } from './states';

type Name = keyof Usage['budgets'];

const BUDGETS: Readonly<Record<Name, { readonly label: string; format(value: number): string }>> = {
  emailsPerDay: { label: 'Emails a day', format: formatCount },
  storedBytes: { label: 'Stored content', format: formatBytes },
  renderSecondsPerMinute: { label: 'Rendering a minute', format: (seconds) => `${formatCount(seconds)} s` },
  eventsPerEmailPerMinute: { label: 'Events of the busiest email a minute', format: formatCount },
  domains: { label: 'Domains', format: formatCount },
  webhooks: { label: 'Webhooks', format: formatCount },
};
/** Where the service warns, too. */
const NEAR_PERCENT = 80;

/** What of a budget is used, per 100; 0 without a limit. */
function usedPercent({ used, limit }: Usage['budgets'][Name]): number {
  return limit === null ? 0 : limit === 0 ? 100 : (100 * used) / limit;
}

/** Each budget with what is used of it. */
export function UsageBars() {
  const usage = useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => client.usage.get({ signal }) });
  if (usage.isPending) return <Loading />;
  if (usage.isError) return <Failure error={usage.error} retry={() => void usage.refetch()} />;
  return (
    <>
      <p>
        Plan <Badge state={usage.data.plan} tone="info" />
      </p>
      {(Object.keys(BUDGETS) as Name[]).map((name) => (
        <UsageBar key={name} name={name} usage={usage.data.budgets[name]} />
      ))}
    </>
  );
}

function UsageBar({ name, usage }: { readonly name: Name; readonly usage: Usage['budgets'][Name] }) {
  const { label, format } = BUDGETS[name];
  const { used, limit, renewsAt } = usage;
  const percent = usedPercent(usage);
  const tone = percent >= 100 ? 'failed' : percent >= NEAR_PERCENT ? 'suppressed' : '';
  return (
    <div class="usage">
      <div class="what">
        <span id={`budget-${name}`}>{label}</span>
        <span class="number">
          {format(used)} {limit === null ? <span class="muted">of no limit</span> : `of ${format(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          class="bar"
          role="meter"
          aria-labelledby={`budget-${name}`}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
        >
          <span class={tone} style={{ width: `${Math.min(100, percent)}%` }} />
        </div>
      )}
      <span class="hint">
        {limit !== null && formatPercent(Math.round(percent * 10) / 10)}
        {limit !== null && renewsAt !== null && ', '}
        {renewsAt !== null && (
          <>
            renews <Time at={renewsAt} />
          </>
        )}
      </span>
    </div>
  );
}
