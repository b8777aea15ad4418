import { formatCount, formatDuration } from '../format';
import type { Broadcast } from '../types';

/** The progress of a broadcast, as a bar and in words. */
export function Progress({ progress }: { readonly progress: Broadcast['progress'] }) {
  const { total, sent, failed, suppressed, canceled, perSecond, etaSeconds } = progress;
  if (total === 0) return <span class="muted">no recipients</span>;
  const done = sent + failed + suppressed + canceled;
  const width = (count: number) => ({ width: `${(100 * count) / total}%` });
  return (
    <div>
      <div
        class="bar"
        role="progressbar"
        aria-label="Recipients done"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <span style={width(sent)} />
        <span class="failed" style={width(failed)} />
        <span class="suppressed" style={width(suppressed + canceled)} />
      </div>
      <span class="hint number">
        {formatCount(done)} of {formatCount(total)}
        {perSecond > 0 && `, ${formatCount(Math.round(perSecond))} a second`}
        {etaSeconds !== null && etaSeconds > 0 && `, ${formatDuration(etaSeconds)} left`}
      </span>
    </div>
  );
}
