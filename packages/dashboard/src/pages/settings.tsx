import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { Action, Form } from '../components/action';
import { Card, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { formatCount, Time } from '../format';
import { useSession } from '../session';
import { sessions } from '../session-calls';

export default function Settings() {
  const { data: session } = useSession();
  if (!session) return null;
  return (
    <Page title="Settings">
      <div class="columns">
        <Card title="Organization">
          <dl class="facts">
            <dt>Name</dt>
            <dd>{session.organization.name}</dd>
            <dt>ID</dt>
            <dd class="mono">{session.organization.id}</dd>
          </dl>
        </Card>
        <Card title="Budgets">
          <Usage />
        </Card>
        <Card title="You">
          <dl class="facts">
            <dt>Email</dt>
            <dd>{session.user.email}</dd>
            <dt>Role</dt>
            <dd>{session.organization.role}</dd>
            <dt>Second factor</dt>
            <dd>{session.user.secondFactor ? 'on' : 'off'}</dd>
          </dl>
          <p>
            <Action
              label="Sign out everywhere"
              scope="read"
              question="All your sessions in all browsers end, this one too."
              run={() => sessions.signOutEverywhere()}
              onDone={() => location.assign('/')}
            />
          </p>
        </Card>
        {session.user.hasPassword && (
          <Card title="Change the password">
            <ChangePassword />
          </Card>
        )}
      </div>
    </Page>
  );
}

function ChangePassword() {
  const change = (fields: FormData): Promise<unknown> =>
    sessions.changePassword({
      currentPassword: fields.get('current') as string,
      newPassword: fields.get('new') as string,
    });
  return (
    <Form submit="Change password" run={change}>
      <label>
        Current password
        <input name="current" type="password" autocomplete="current-password" required />
      </label>
      <label>
        New password <span class="hint">at least 12 characters; ends all other sessions</span>
        <input name="new" type="password" autocomplete="new-password" minLength={12} required />
      </label>
    </Form>
  );
}

function Usage() {
  const usage = useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => client.usage.get({ signal }) });
  if (usage.isPending) return <Loading />;
  if (usage.isError) return <Failure error={usage.error} retry={() => void usage.refetch()} />;
  return (
    <div class="scroll">
      <table aria-label={`Budgets of the plan ${usage.data.plan}`}>
        <thead>
          <tr>
            <th scope="col">Budget</th>
            <th scope="col" class="number">
              Used
            </th>
            <th scope="col" class="number">
              Of
            </th>
            <th scope="col">Renews</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(usage.data.budgets).map(([name, { used, limit, renewsAt }]) => (
            <tr key={name}>
              <td>{nameOf(name)}</td>
              <td class="number">{formatCount(used)}</td>
              <td class="number">{limit === null ? 'no limit' : formatCount(limit)}</td>
              <td>
                <Time at={renewsAt} none="never" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** "emailsPerDay" as "Emails per day". */
function nameOf(budget: string): string {
  const words = budget.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0]!.toUpperCase() + words.slice(1);
}
