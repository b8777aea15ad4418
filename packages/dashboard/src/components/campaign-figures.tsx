import { formatCount, formatPercent, formatRatio, plural } from '../format';
import type { CampaignDetail } from '../types';
import { Card, Figures, type FigureProps } from './page';
import { Scroll } from './scroll';

type Totals = CampaignDetail['stats'];

/** The totals of a campaign, each with the value of the API. */
export function CampaignFigures({ stats }: { readonly stats: Totals }) {
  return (
    <>
      <Figures figures={totals(stats)} />
      <Figures figures={outcomes(stats)} />
    </>
  );
}

function totals({ totalEmails, totalOpens, totalClicks, openRate, clickRate, people }: Totals): readonly FigureProps[] {
  const ofEmails = (count: number): string => `${formatCount(count)} of ${plural(totalEmails, 'email')}`;
  const perEmail = (rate: number): string => `${formatRatio(rate / 100)} an email, machines too`;
  return [
    { label: 'Emails', value: formatCount(totalEmails) },
    { label: 'Opened by people', value: formatPercent(people.openRate), beside: ofEmails(people.uniqueOpens) },
    { label: 'Clicked by people', value: formatPercent(people.clickRate), beside: ofEmails(people.uniqueClicks) },
    {
      label: 'All opens',
      value: formatCount(totalOpens),
      beside: perEmail(openRate),
    },
    {
      label: 'All clicks',
      value: formatCount(totalClicks),
      beside: perEmail(clickRate),
    },
  ];
}

function outcomes(stats: Totals): readonly FigureProps[] {
  const names = ['delivered', 'deferred', 'bounced', 'complained', 'unsubscribed', 'suppressed'] as const;
  return names.map((name) => ({
    label: name[0]!.toUpperCase() + name.slice(1),
    value: formatCount(stats[name]),
    // Plain mail servers report no deliveries.
    ...(name === 'delivered' && stats.delivered === 0 && stats.totalEmails > 0 && { beside: 'none reported' }),
  }));
}

const CLASSES = {
  prefetch: ['Prefetching', 'mail programs that load images before a person reads'],
  preview: ['Previews', 'programs that preview links'],
  scanner: ['Scanners', 'security products that open every link'],
  bot: ['Bots', 'crawlers and other programs'],
} as const;

/** Opens and clicks by people and by machines, which add up to the totals. */
export function PeopleAndMachines({
  stats: { people, machines, totalOpens, totalClicks },
}: {
  readonly stats: Totals;
}) {
  return (
    <Card title="People and machines">
      <div class="columns">
        <Scroll label="Opens and clicks">
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
              <Row name="People" hint="readers, also through proxies" opens={people.opens} clicks={people.clicks} />
              <Row
                name="Machines"
                hint="programs that act before a person reads"
                opens={machines.opens}
                clicks={machines.clicks}
              />
              <Row name="All" hint="the totals" opens={totalOpens} clicks={totalClicks} />
            </tbody>
          </table>
        </Scroll>
        <dl class="facts">
          {Object.entries(CLASSES).map(([name, [title, meaning]]) => (
            <>
              <dt key={name}>{title}</dt>
              <dd>
                {formatCount(machines.byClass[name as keyof typeof CLASSES])} <span class="hint">{meaning}</span>
              </dd>
            </>
          ))}
        </dl>
      </div>
    </Card>
  );
}

interface RowProps {
  readonly name: string;
  readonly hint: string;
  readonly opens: number;
  readonly clicks: number;
}

function Row({ name, hint, opens, clicks }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {name} <div class="hint">{hint}</div>
      </th>
      <td class="number">{formatCount(opens)}</td>
      <td class="number">{formatCount(clicks)}</td>
    </tr>
  );
}
