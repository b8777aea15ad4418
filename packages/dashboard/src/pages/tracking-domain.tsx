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

export default function TrackingDomainPage() {
  const { id } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const domain = useQuery({
    queryKey: ['tracking-domain', id],
    queryFn: ({ signal }) => client.trackingDomains.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (domain.isPending) return <Loading />;
  if (domain.isLoadingError)
    return <PageFailure error={domain.error} list={['/domains', 'Domains']} retry={() => void domain.refetch()} />;
  const { shownDomain, domain: name, status, checkedAt, failingSince, usedSince, records } = domain.data;
  return (
    <Page
      title={shownDomain}
      hint={
        <>
          <Badge state={status} /> {usedSince === null ? 'not in use' : 'in links of new emails'}, last check{' '}
          <Time at={checkedAt} none="never" />
        </>
      }
      actions={
        <>
          <Action label="Verify" scope="manage" isPrimary run={() => client.trackingDomains.verify(id)} />
          <Action
            label="Delete"
            scope="manage"
            isDangerous
            question={`Links in new emails will not use ${shownDomain}. Keep its record for as long as people may click in earlier emails.`}
            run={() => client.trackingDomains.delete(id)}
            onDone={() => go('/domains')}
          />
        </>
      }
    >
      {failingSince !== null && (
        <p class="notice bad">
          Its records have not been confirmed since <Time at={failingSince} />.
          {usedSince === null && ' Links in new emails do not use it.'}
        </p>
      )}
      {status === 'pending' && (
        <p class="notice">
          Publish the records where {name} has its DNS, then verify. A new record can take some minutes to appear; if
          one is not found yet, verify again.
        </p>
      )}
      <DomainRecords records={records} areChecked={checkedAt !== null} />
    </Page>
  );
}
