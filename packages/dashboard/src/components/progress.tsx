import { formatCount, formatDuration } from '../format';
import type { Broadcast } from '../types';

interface ProgressProps {
  readonly broadcast: Pick<Broadcast, 'status' | 'progress'>;
}

/** The progress of a broadcast, as a bar and in words. What was canceled before it was sent leaves the bar empty. */
export function Progress({ broadcast: { status, progress } }: ProgressProps) {
  const { total, sent, failed, suppressed, canceled, perSecond, etaSeconds } = progress;
  if (total === 0) return <span class="muted">no recipients</span>;
  const isCanceled = status === 'canceled';
  const done = isCanceled ? sent : sent + failed + suppressed + canceled;
  const width = (count: number) => ({ width: `${(100 * count) / total}%` });
  return (
    <div class="progress">
      <div
        class="bar"
        role="progressbar"
        aria-label={isCanceled ? 'Recipients sent to' : 'Recipients done'}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <span style={width(sent)} />
        <span class="failed" style={width(failed)} />
        <span class="suppressed" style={width(isCanceled ? suppressed : suppressed + canceled)} />
      </div>
      <span class="hint number">
        {formatCount(done)} of {formatCount(total)}
        {isCanceled && ' sent'}
        {perSecond > 0 && `, ${formatCount(perSecond < 10 ? perSecond : Math.round(perSecond))} a second`}
        {etaSeconds !== null && etaSeconds > 0 && `, ${formatDuration(etaSeconds)} left`}
      </span>
    </div>
  );
}
