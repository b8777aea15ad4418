import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Attention } from '../components/attention';
import { EmailStatus } from '../components/email-status';
import { FirstEmail } from '../components/first-email';
import { OverTime } from '../components/over-time';
import { Card, Figures, Page, type FigureProps } from '../components/page';
import { RangePicker } from '../components/range-picker';
import { RateMeters } from '../components/rate-meters';
import { Failure, Loading } from '../components/states';
import { MEASURES } from '../figures';
import { formatCount, formatPercent, Time } from '../format';
import { useRefreshMs } from '../live';
import { shownName } from '../shown-name';
import type { EmailSummary, Stats } from '../types';

const LATEST = 8;

export default function Overview() {
  const refreshMs = useRefreshMs();
  const emails = useQuery({
    queryKey: ['overview', 'emails'],
    queryFn: ({ signal }) => client.emails.list({ limit: LATEST }, { signal }).first(),
    refetchInterval: refreshMs,
  });
  if (emails.isPending) {
    return (
      <Page title="Overview" actions={<RangePicker />}>
        <Loading rows={8} fillsView />
      </Page>
    );
  }
  if (emails.isLoadingError) {
    return (
      <Page title="Overview">
        <Failure error={emails.error} retry={() => void emails.refetch()} />
      </Page>
    );
  }
  if (emails.data.items.length === 0) {
    return (
      <Page title="Overview">
        <div class="card">
          <FirstEmail />
        </div>
      </Page>
    );
  }
  return (
    <Page title="Overview" actions={<RangePicker />}>
      <Attention />
      <OverTime
        fillsView
        before={(totals) => <Figures figures={figuresOf(totals)} />}
        after={(totals) => <RateMeters totals={totals} />}
      />
      <div class="columns">
        <LatestEmails emails={emails.data.items} />
        <LatestCampaigns />
      </div>
    </Page>
  );
}

/**
 * Each figure of the chart; all except sent emails also as a share of them. What happens to emails of earlier days can
 * make them more than all, which is no share.
 */
function figuresOf(totals: Stats['totals']): readonly FigureProps[] {
  const { sent } = totals;
  return MEASURES.map(({ name, of }) => {
    const count = of(totals);
    return { label: name, value: formatCount(count), beside: besideOf(name, count, sent) };
  });
}

function besideOf(name: string, count: number, sent: number): string | undefined {
  if (name === 'Sent' || sent === 0 || count > sent) return undefined;
  // Plain mail servers report no deliveries, so that a share of 0 % would be wrong.
  if (name === 'Delivered' && count === 0) return 'none reported';
  return formatPercent((100 * count) / sent);
}

function LatestEmails({ emails }: { readonly emails: readonly EmailSummary[] }) {
  return (
    <Card title="Latest emails">
      <ul class="rows">
        {emails.map(({ id, status, recipientStates, subject, recipient, createdAt }) => (
          <li key={id}>
            <Link dir="auto" href={`/emails/${id}`}>
              {shownName(subject)}
            </Link>
            <div class="what hint">
              <span>
                <EmailStatus status={status} states={recipientStates} /> {recipient}
              </span>
              <Time at={createdAt} />
            </div>
          </li>
        ))}
      </ul>
      <p>
        <Link href="/emails">All emails</Link>
      </p>
    </Card>
  );
}

function LatestCampaigns() {
  const campaigns = useQuery({
    queryKey: ['overview', 'campaigns'],
    queryFn: ({ signal }) => client.campaigns.list({ limit: LATEST }, { signal }).first(),
    refetchInterval: useRefreshMs(),
  });
  return (
    <Card title="Latest campaigns">
      {campaigns.isPending && <Loading />}
      {campaigns.isLoadingError && <Failure error={campaigns.error} retry={() => void campaigns.refetch()} />}
      {campaigns.data?.items.length === 0 && <p class="muted">None yet.</p>}
      <ul class="rows">
        {campaigns.data?.items.map(({ id, name, createdAt }) => (
          <li key={id} class="what">
            <Link dir="auto" href={`/campaigns/${id}`}>
              {shownName(name)}
            </Link>
            <span class="hint">
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <p>
        <Link href="/campaigns">All campaigns</Link>
      </p>
    </Card>
  );
}
