import { useQuery } from '@tanstack/preact-query';
import { Link, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { LinksTable } from '../components/links-table';
import { Card, Figures, Page, type FigureProps } from '../components/page';
import { Failure, Loading } from '../components/states';
import { formatCount, formatPercent, Time } from '../format';
import type { CampaignDetail } from '../types';

const REFRESH_MS = 5_000;

export default function CampaignPage() {
  const { id } = useParams<{ id: string }>();
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => client.campaigns.get(id, {}, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (campaign.isPending) return <Loading />;
  if (campaign.isError) return <Failure error={campaign.error} retry={() => void campaign.refetch()} />;
  const { name, createdAt, archivedAt, stats } = campaign.data;
  return (
    <Page
      title={name}
      hint={
        <>
          {archivedAt !== null && <Badge state="archived" />} Created <Time at={createdAt} />
        </>
      }
      actions={
        archivedAt === null && (
          <Action
            label="Archive"
            scope="manage"
            question="No further emails can join an archived campaign. Its numbers stay, and go on with its opens and clicks."
            run={() => client.campaigns.archive(id)}
          />
        )
      }
    >
      <Figures figures={peopleFigures(stats)} />
      <Figures figures={deliveryFigures(stats)} />
      <div class="columns">
        <Card title="People and machines">
          <Machines stats={stats} />
        </Card>
        <Card title="Links">
          <LinksTable links={campaign.data.links} total={stats.people.clicks} none="No links yet." />
        </Card>
      </div>
      <Card title="Latest emails">
        <Emails emails={campaign.data.emails} />
        <p>
          <Link href={`/emails?campaignId=${id}`}>All emails of this campaign</Link>
        </p>
      </Card>
    </Page>
  );
}

function peopleFigures({ totalEmails, people }: CampaignDetail['stats']): readonly FigureProps[] {
  return [
    { label: 'Emails', value: formatCount(totalEmails) },
    {
      label: 'Opened by people',
      value: formatPercent(people.openRate),
      beside: `${formatCount(people.uniqueOpens)} emails`,
    },
    {
      label: 'Clicked by people',
      value: formatPercent(people.clickRate),
      beside: `${formatCount(people.uniqueClicks)} emails`,
    },
    { label: 'Opens by people', value: formatCount(people.opens) },
    { label: 'Clicks by people', value: formatCount(people.clicks) },
  ];
}

function deliveryFigures(stats: CampaignDetail['stats']): readonly FigureProps[] {
  const names = ['delivered', 'deferred', 'bounced', 'complained', 'unsubscribed', 'suppressed'] as const;
  return names.map((name) => ({ label: name[0]!.toUpperCase() + name.slice(1), value: formatCount(stats[name]) }));
}

function Machines({ stats }: { readonly stats: CampaignDetail['stats'] }) {
  const { people, machines, totalOpens, totalClicks } = stats;
  const { prefetch, preview, scanner, bot } = machines.byClass;
  const rows: readonly (readonly [string, string, number, number])[] = [
    ['People', 'readers, also through proxies', people.opens, people.clicks],
    ['Machines', 'prefetching, previews, scanners, bots', machines.opens, machines.clicks],
    ['All', 'what the totals count', totalOpens, totalClicks],
  ];
  return (
    <>
      <div class="scroll">
        <table aria-label="Opens and clicks by people and machines">
          <thead>
            <tr>
              <th scope="col">By</th>
              <th scope="col" class="number">
                Opens
              </th>
              <th scope="col" class="number">
                Clicks
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([who, hint, opens, clicks]) => (
              <tr key={who}>
                <td>
                  {who} <div class="hint">{hint}</div>
                </td>
                <td class="number">{formatCount(opens)}</td>
                <td class="number">{formatCount(clicks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        Machines by class: prefetching {formatCount(prefetch)}, previews {formatCount(preview)}, scanners{' '}
        {formatCount(scanner)}, bots {formatCount(bot)}.
      </p>
    </>
  );
}

function Emails({ emails }: { readonly emails: CampaignDetail['emails'] }) {
  if (emails.length === 0) return <p class="muted">No emails yet.</p>;
  return (
    <div class="scroll">
      <table aria-label="Latest emails">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">To</th>
            <th scope="col">Subject</th>
            <th scope="col" class="number">
              Opens by people
            </th>
            <th scope="col" class="number">
              Clicks by people
            </th>
          </tr>
        </thead>
        <tbody>
          {emails.map(({ id, status, recipient, subject, people }) => (
            <tr key={id}>
              <td>
                <Badge state={status} />
              </td>
              <td>{recipient}</td>
              <td>
                <Link class="title" href={`/emails/${id}`}>
                  {subject}
                </Link>
              </td>
              <td class="number">{formatCount(people.opens)}</td>
              <td class="number">{formatCount(people.clicks)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
