import { useQuery } from '@tanstack/preact-query';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { Loading } from '../components/states';
import { Time } from '../format';
import { REFRESH_MS } from '../live';
import { DomainRecords } from './domain-records';

export default function DomainPage() {
  const { id } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const domain = useQuery({
    queryKey: ['domain', id],
    queryFn: ({ signal }) => client.domains.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (domain.isPending) return <Loading />;
  if (domain.isLoadingError)
    return <PageFailure error={domain.error} list={['/domains', 'Domains']} retry={() => void domain.refetch()} />;
  const { shownDomain, domain: name, status, notice, checkedAt, failingSince, records } = domain.data;
  const found = records.filter((record) => record.found).length;
  return (
    <Page
      title={shownDomain}
      hint={
        <>
          <Badge state={status} /> {found} of {records.length} records found, last check{' '}
          <Time at={checkedAt} none="never" />
        </>
      }
      actions={
        <>
          <Action label="Verify" scope="manage" isPrimary run={() => client.domains.verify(id)} />
          <Action
            label="Delete"
            scope="manage"
            isDangerous
            question={`Emails from ${shownDomain} will then be sent from an address of the platform.`}
            run={() => client.domains.delete(id)}
            onDone={() => go('/domains')}
          />
        </>
      }
    >
      {failingSince !== null && (
        <p class="notice bad">
          Its ownership has not been confirmed since <Time at={failingSince} />: see its ownership record.
        </p>
      )}
      {notice !== null && <p class="notice warn">{notice}</p>}
      {status === 'pending' && (
        <p class="notice">
          Publish these records where {name} has its DNS, then verify. A new record can take some minutes to appear; if
          one is not found yet, verify again.
        </p>
      )}
      <DomainRecords records={records} areChecked={checkedAt !== null} />
    </Page>
  );
}
