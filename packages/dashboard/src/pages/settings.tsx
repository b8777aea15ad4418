import { Card, Page } from '../components/page';
import { useSession } from '../session';

export default function Settings() {
  const { data } = useSession();
  return (
    <Page title="Settings">
      <Card title="Organization">
        <dl class="facts">
          <dt>Name</dt>
          <dd>{data?.organization.name}</dd>
          <dt>ID</dt>
          <dd class="mono">{data?.organization.id}</dd>
          <dt>You</dt>
          <dd>
            {data?.user.email}, {data?.role}
          </dd>
        </dl>
      </Card>
    </Page>
  );
}
