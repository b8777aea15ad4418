import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { CampaignFigures, PeopleAndMachines } from '../components/campaign-figures';
import { ClickMapView } from '../components/click-map';
import { Download } from '../components/download';
import { EMAIL_COLUMNS } from '../components/email-columns';
import { LinksTable } from '../components/links-table';
import { List, type Column } from '../components/list';
import { OverTime } from '../components/over-time';
import { Card, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { RangePicker } from '../components/range-picker';
import { Empty, Loading } from '../components/states';
import { exportName } from '../export-name';
import { formatCount, plural, Time } from '../format';
import { useRefreshMs } from '../live';
import type { CampaignDetail } from '../types';

/** More are shown on request. */
const LINKS_SHOWN = 10;
/** The API has more on further pages, which the dashboard does not load. */
const LINKS_READ = 1_000;

type CampaignEmail = CampaignDetail['emails'][number];

export default function CampaignPage() {
  const { id } = useParams<{ id: string }>();
  const campaign = useQuery({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => client.campaigns.get(id, { limit: 1 }, { signal }),
    refetchInterval: useRefreshMs(),
  });
  if (campaign.isPending) return <Loading />;
  if (campaign.isLoadingError)
    return (
      <PageFailure error={campaign.error} list={['/campaigns', 'Campaigns']} retry={() => void campaign.refetch()} />
    );
  const { name, createdAt, archivedAt, stats, links } = campaign.data;
  return (
    <Page
      title={name}
      hint={
        <>
          {archivedAt !== null && <Badge state="archived" />} Created <Time at={createdAt} />
        </>
      }
      actions={<Actions id={id} name={name} isArchived={archivedAt !== null} />}
    >
      <CampaignFigures stats={stats} />
      <RangePicker />
      <OverTime campaignId={id} fillsView />
      <Card title="Links">
        <div class="columns">
          <Links links={links} total={stats.people.clicks} />
          <ClickMapView of="campaigns" id={id} title={name} />
        </div>
      </Card>
      <PeopleAndMachines stats={stats} />
      <h2>Recipients</h2>
      <List<CampaignEmail>
        name={['campaign-emails', id]}
        load={(page, options) => client.campaigns.emails(id, page, options).first()}
        label="Recipients"
        live="email."
        columns={COLUMNS}
        idOf={(email) => email.id}
        empty={<Empty title="No emails yet" />}
      />
    </Page>
  );
}

interface ActionsProps {
  readonly id: string;
  readonly name: string;
  readonly isArchived: boolean;
}

function Actions({ id, name, isArchived }: ActionsProps) {
  return (
    <>
      <Download path="/api/emails/export" query={{ campaignId: id }} filename={exportName('emails', name)} />
      {!isArchived && (
        <Action
          label="Archive"
          scope="manage"
          question="You cannot add emails to an archived campaign. Opens and clicks are still counted."
          run={() => client.campaigns.archive(id)}
        />
      )}
    </>
  );
}

function Links({ links, total }: { readonly links: CampaignDetail['links']; readonly total: number }) {
  const [showsAll, showAll] = useState(false);
  const hidden = showsAll ? 0 : Math.max(0, links.length - LINKS_SHOWN);
  return (
    <div class="stack tight">
      <LinksTable links={links.slice(0, links.length - hidden)} total={total} none="Nobody has clicked a link yet." />
      {hidden > 0 && (
        <button type="button" class="small" onClick={() => showAll(true)}>
          Show {plural(hidden, 'more link')}
        </button>
      )}
      {links.length >= LINKS_READ && <p class="hint">These are the {formatCount(LINKS_READ)} most clicked links.</p>}
    </div>
  );
}

const COLUMNS: readonly Column<CampaignEmail>[] = [
  ...EMAIL_COLUMNS,
  { name: 'Opens by people', isNumber: true, show: ({ people }) => formatCount(people.opens) },
  { name: 'Clicks by people', isNumber: true, show: ({ people }) => formatCount(people.clicks) },
];
