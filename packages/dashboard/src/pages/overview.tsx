import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Badge } from '../components/badge';
import { FirstEmail } from '../components/first-email';
import { Card, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { Time } from '../format';

const REFRESH_MS = 3_000;

export default function Overview() {
  const emails = useQuery({
    queryKey: ['overview', 'emails'],
    queryFn: ({ signal }) => client.emails.list({ limit: 8 }, { signal }).first(),
    refetchInterval: REFRESH_MS,
  });
  if (emails.isPending) return <Loading />;
  if (emails.isError) return <Failure error={emails.error} retry={() => void emails.refetch()} />;
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
    <Page title="Overview">
      <Attention />
      <div class="columns">
        <Card title="Latest emails">
          <ul class="timeline">
            {emails.data.items.map(({ id, status, subject, recipient, createdAt }) => (
              <li key={id}>
                <div class="what">
                  <Link href={`/emails/${id}`}>{subject}</Link>
                  <span class="muted">
                    <Time at={createdAt} />
                  </span>
                </div>
                <span class="hint">
                  <Badge state={status} /> {recipient}
                </span>
              </li>
            ))}
          </ul>
        </Card>
        <Campaigns />
      </div>
    </Page>
  );
}

/** What somebody should do something about. */
function Attention() {
  const domains = useQuery({
    queryKey: ['overview', 'domains'],
    queryFn: ({ signal }) => client.domains.list({ limit: 100 }, { signal }).first(),
  });
  const webhooks = useQuery({
    queryKey: ['overview', 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ limit: 100 }, { signal }).first(),
  });
  const troubled = [
    ...(domains.data?.items ?? [])
      .filter(({ failingSince, notice }) => failingSince !== null || notice !== null)
      .map(({ id, shownDomain, notice }) => ({
        to: `/domains/${id}`,
        name: shownDomain,
        why: notice ?? 'Its records are missing',
      })),
    ...(webhooks.data?.items ?? [])
      .filter(({ enabled, failingSince }) => !enabled || failingSince !== null)
      .map(({ id, url, enabled }) => ({
        to: `/webhooks/${id}`,
        name: url,
        why: enabled ? 'Deliveries fail' : 'It is disabled',
      })),
  ];
  if (troubled.length === 0) return null;
  return (
    <Card title="Needs attention">
      {troubled.map(({ to, name, why }) => (
        <p key={to} class="notice warn">
          <Link href={to}>{name}</Link>: {why}
        </p>
      ))}
    </Card>
  );
}

function Campaigns() {
  const campaigns = useQuery({
    queryKey: ['overview', 'campaigns'],
    queryFn: ({ signal }) => client.campaigns.list({ limit: 8 }, { signal }).first(),
  });
  return (
    <Card title="Latest campaigns">
      {campaigns.isPending && <Loading />}
      {campaigns.isError && <Failure error={campaigns.error} />}
      {campaigns.data?.items.length === 0 && <p class="muted">None yet.</p>}
      {campaigns.data?.items.map(({ id, name, createdAt }) => (
        <p key={id}>
          <Link href={`/campaigns/${id}`}>{name}</Link>{' '}
          <span class="hint">
            <Time at={createdAt} />
          </span>
        </p>
      ))}
    </Card>
  );
}
