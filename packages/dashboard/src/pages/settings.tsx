import { useState } from 'preact/hooks';
import { Action, Form } from '../components/action';
import { Card, Page } from '../components/page';
import { SecondFactor } from '../components/second-factor';
import { SendingStatus } from '../components/sending-state';
import { UsageBars } from '../components/usage-bars';
import { isSuspended, useSession } from '../session';
import { sessions } from '../session-calls';
import { switchShortcuts, useShortcuts } from '../shortcuts';

export default function Settings() {
  const { data: session } = useSession();
  if (!session) return null;
  const { organization, user } = session;
  return (
    <Page title="Settings">
      <div class="columns">
        <div class="stack">
          <Card title="Organization">
            <dl class="facts">
              <dt>Name</dt>
              <dd>{organization.name}</dd>
              <dt>ID</dt>
              <dd class="mono">{organization.id}</dd>
              <dt>Your role</dt>
              <dd>{organization.role}</dd>
            </dl>
          </Card>
          {!isSuspended(session) && (
            <>
              <Card title="Sending">
                <SendingStatus />
              </Card>
              <Card title="Budgets">
                <UsageBars />
              </Card>
            </>
          )}
        </div>
        <div class="stack">
          <Card title="Second factor">
            <SecondFactor user={user} />
          </Card>
          {user.hasPassword && (
            <Card title="Password">
              <ChangePassword />
            </Card>
          )}
          <Card title="Keyboard">
            <Shortcuts />
          </Card>
          <Card title="Sessions">
            <p>
              You are signed in as <strong>{user.email}</strong>.
            </p>
            <div class="actions">
              <Action
                label="Sign out everywhere"
                scope="read"
                isDangerous
                question="All your sessions in all browsers end, including this one."
                run={async () => {
                  await sessions.signOutEverywhere();
                  // Here, because the sign-in replaces this page. A reload leaves nothing of the
                  // organization in memory.
                  location.assign('/');
                }}
              />
            </div>
          </Card>
        </div>
      </div>
    </Page>
  );
}

/** Belongs to the browser, as the choice of colors does. */
function Shortcuts() {
  const isOn = useShortcuts();
  return (
    <>
      <label class="inline">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => switchShortcuts(currentTarget.checked)}
          aria-describedby="shortcuts"
        />{' '}
        Shortcuts of a single key
      </label>
      <p class="hint" id="shortcuts">
        / moves to the search, j and k move between rows. Applies to this browser.
      </p>
    </>
  );
}

function ChangePassword() {
  const [changes, count] = useState(0);
  const [isChanged, setChanged] = useState(false);
  const change = async (fields: FormData): Promise<void> => {
    setChanged(false);
    await sessions.changePassword({
      currentPassword: fields.get('current') as string,
      newPassword: fields.get('new') as string,
    });
    count(changes + 1);
    setChanged(true);
  };
  return (
    <>
      <Form key={changes} submit="Change password" run={change}>
        <label>
          Current password
          <input name="current" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password <span class="hint">at least 12 characters; ends all other sessions</span>
          <input name="new" type="password" autocomplete="new-password" minLength={12} required />
        </label>
      </Form>
      {isChanged && (
        <p class="notice good" role="status">
          The password is changed. Your other sessions have ended.
        </p>
      )}
    </>
  );
}
