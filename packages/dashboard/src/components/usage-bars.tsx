import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { BUDGETS, isNear, usedPercent, type BudgetName, type BudgetUsage } from '../budgets';
import { formatPercent, Time } from '../format';
import { REFRESH_MS } from '../live';
import { Badge } from './badge';
import { Failure, Loading } from './states';

/** Each budget with its usage. */
export function UsageBars() {
  const usage = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => client.usage.get({ signal }),
    refetchInterval: REFRESH_MS,
  });
  if (usage.isPending) return <Loading />;
  if (usage.isLoadingError) return <Failure error={usage.error} retry={() => void usage.refetch()} />;
  return (
    <>
      <p>
        Plan <Badge state={usage.data.plan} tone="info" />
      </p>
      {(Object.keys(BUDGETS) as BudgetName[]).map((name) => (
        <UsageBar key={name} name={name} usage={usage.data.budgets[name]} />
      ))}
    </>
  );
}

function UsageBar({ name, usage }: { readonly name: BudgetName; readonly usage: BudgetUsage }) {
  const { label, format } = BUDGETS[name];
  const { used, limit, renewsAt } = usage;
  const percent = usedPercent(usage);
  const tone = percent >= 100 ? 'failed' : isNear(usage) ? 'suppressed' : '';
  return (
    <div class="usage">
      <div class="what">
        <span id={`budget-${name}`}>{label}</span>
        <span class="number">
          {format(used)} {limit === null ? <span class="muted">(no limit)</span> : `of ${format(limit)}`}
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
