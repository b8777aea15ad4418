import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { client, hasStatus } from '../api';
import { Action } from '../components/action';
import { Failure } from '../components/states';
import { Time } from '../format';
import { useRefreshMs } from '../live';
import { useLastError } from '../unread';

function useSuppression(address: string) {
  return useQuery({
    queryKey: ['contact', address, 'suppression'],
    queryFn: async ({ signal }) => {
      try {
        return await client.suppressions.get(address, { signal });
      } catch (error) {
        if (hasStatus(error, 404)) return null;
        throw error;
      }
    },
    refetchInterval: useRefreshMs(),
  });
}

/** The reason why the address gets no mail. */
export function Suppressed({ address }: { readonly address: string }) {
  const suppression = useSuppression(address);
  const error = useLastError(suppression);
  if (error) return <Failure error={error} retry={() => void suppression.refetch()} />;
  const { data } = suppression;
  if (!data) return null;
  return (
    <p class="notice warn">
      Has been suppressed for {data.scope === 'all' ? 'all mail' : 'mail with an unsubscribe link'} since{' '}
      <Time at={data.createdAt} />: {data.reason}
      {data.note !== null && `, ${data.note}`}
      {data.emailId !== null && (
        <>
          , because of <Link href={`/emails/${data.emailId}`}>this email</Link>
        </>
      )}
      .
    </p>
  );
}

export function SuppressionAction({ address }: { readonly address: string }) {
  const { data: suppression } = useSuppression(address);
  return (
    <>
      {suppression === null && (
        <Action
          label="Suppress"
          scope="manage"
          question={`No more mail goes to ${address} until you remove it from the suppressions.`}
          run={() => client.suppressions.add({ address })}
        />
      )}
      {suppression && (
        <Action
          label="Allow mail again"
          scope="manage"
          question={`Mail may go to ${address} again.`}
          run={() => client.suppressions.remove(address)}
        />
      )}
    </>
  );
}
