import { Suspense, useSyncExternalStore } from 'preact/compat';
import { useRef } from 'preact/hooks';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { hasStatus } from './api';
import { ChangedRole } from './components/changed-role';
import { EndedSession } from './components/ended-session';
import { Opening } from './components/opening';
import { Outdated } from './components/outdated';
import { Page } from './components/page';
import { PageBoundary } from './components/page-boundary';
import { Loading } from './components/states';
import { Suspended } from './components/suspended';
import { Layout } from './layout';
import { loadPage } from './load-page';
import { queries, SESSION_KEY } from './queries';
import { isSuspended, SessionEnding, useSession } from './session';
import { SetPassword } from './pages/set-password';
import { SignIn } from './pages/sign-in';
import { followWork, hasWork } from './unsaved';

/** Each page is a separate script, loaded when it is opened. */
const pages = {
  '/': loadPage(() => import('./pages/overview')),
  '/emails': loadPage(() => import('./pages/emails')),
  '/emails/:id': loadPage(() => import('./pages/email')),
  '/campaigns': loadPage(() => import('./pages/campaigns')),
  '/campaigns/:id': loadPage(() => import('./pages/campaign')),
  '/broadcasts': loadPage(() => import('./pages/broadcasts')),
  '/broadcasts/:id': loadPage(() => import('./pages/broadcast')),
  '/templates': loadPage(() => import('./pages/templates')),
  '/templates/:id': loadPage(() => import('./pages/template')),
  '/contacts': loadPage(() => import('./pages/contacts')),
  '/contacts/:email': loadPage(() => import('./pages/contact')),
  '/suppressions': loadPage(() => import('./pages/suppressions')),
  '/domains': loadPage(() => import('./pages/domains')),
  '/domains/tracking/:id': loadPage(() => import('./pages/tracking-domain')),
  '/domains/:id': loadPage(() => import('./pages/domain')),
  '/providers': loadPage(() => import('./pages/providers')),
  '/providers/:id': loadPage(() => import('./pages/provider')),
  '/webhooks': loadPage(() => import('./pages/webhooks')),
  '/webhooks/:id': loadPage(() => import('./pages/webhook')),
  '/keys': loadPage(() => import('./pages/keys')),
  '/people': loadPage(() => import('./pages/people')),
  '/audit': loadPage(() => import('./pages/audit')),
  '/settings': loadPage(() => import('./pages/settings')),
};

export function App() {
  const [path] = useLocation();
  const session = useSession();
  const mustStay = useSyncExternalStore(followWork, hasWork);
  const hasEnded = hasStatus(session.error, 401);
  // While the session is asked for again, and while the service is away, the sign-in stays, with what was
  // typed into it.
  const isSignedOut = useRef(false);
  if (session.isSuccess || hasEnded) isSignedOut.current = hasEnded && !(session.data && mustStay);
  if (path === '/set-password') return <SetPassword />;
  if (isSignedOut.current) return <SignIn />;
  // An attempt without a response would otherwise be waited for.
  const readAgain = (): void => void queries.cancelQueries({ queryKey: SESSION_KEY }).then(() => session.refetch());
  // Later failures leave the page as it is, with everything that was typed into it.
  if (session.data === undefined) return <Opening error={session.error} retry={readAgain} />;
  const { organization, suspended } = session.data;
  const isStopped = isSuspended(session.data) && !hasEnded;
  // The page is hidden, not removed. Once a save fails, what was just typed is unsaved work, and the page
  // is shown again.
  const isHidden = isStopped && !mustStay && path !== '/settings';
  const notice = hasEnded ? <EndedSession /> : <Outdated />;
  return (
    <SessionEnding.Provider value={hasEnded || session.isFetching}>
      <Layout session={session.data}>
        {isStopped ? <Suspended reason={suspended!} isAlone={isHidden} /> : notice}
        <div hidden={isHidden}>
          <ChangedRole key={`role ${path}`} role={organization.role} />
          <Pages path={path} />
        </div>
      </Layout>
    </SessionEnding.Provider>
  );
}

function Pages({ path }: { readonly path: string }) {
  return (
    <PageBoundary key={path}>
      <Suspense fallback={<Loading rows={8} />}>
        <Switch>
          <Route path="/sign-in">
            <Redirect to="/" replace />
          </Route>
          {Object.entries(pages).map(([path, page]) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <Page title="There is no such page">
              <p>
                Choose a page in the menu, or go to the <Link href="/">overview</Link>.
              </p>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}
