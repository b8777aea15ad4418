import { lazy, Suspense } from 'preact/compat';
import { Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { hasStatus } from './api';
import { Failure, Loading } from './components/states';
import { Layout } from './layout';
import { useSession } from './session';
import { SetPassword, SignIn } from './pages/sign-in';

/** Each page is a separate script, loaded when it is opened. */
const pages = {
  '/': lazy(() => import('./pages/overview')),
  '/emails': lazy(() => import('./pages/emails')),
  '/emails/:id': lazy(() => import('./pages/email')),
  '/campaigns': lazy(() => import('./pages/campaigns')),
  '/campaigns/:id': lazy(() => import('./pages/campaign')),
  '/broadcasts': lazy(() => import('./pages/broadcasts')),
  '/broadcasts/:id': lazy(() => import('./pages/broadcast')),
  '/templates': lazy(() => import('./pages/templates')),
  '/templates/:id': lazy(() => import('./pages/template')),
  '/contacts': lazy(() => import('./pages/contacts')),
  '/contacts/:email': lazy(() => import('./pages/contact')),
  '/suppressions': lazy(() => import('./pages/suppressions')),
  '/domains': lazy(() => import('./pages/domains')),
  '/domains/:id': lazy(() => import('./pages/domain')),
  '/webhooks': lazy(() => import('./pages/webhooks')),
  '/webhooks/:id': lazy(() => import('./pages/webhook')),
  '/keys': lazy(() => import('./pages/keys')),
  '/people': lazy(() => import('./pages/people')),
  '/audit': lazy(() => import('./pages/audit')),
  '/settings': lazy(() => import('./pages/settings')),
};

export function App() {
  const [path] = useLocation();
  const session = useSession();
  if (path === '/set-password') return <SetPassword />;
  if (session.isPending) return <main class="centered" aria-busy="true" />;
  if (session.isError && hasStatus(session.error, 401)) return <SignIn />;
  // Later failures leave the page as it is, with everything that was typed into it.
  if (session.isLoadingError) {
    return (
      <main class="centered">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </main>
    );
  }
  return (
    <Layout session={session.data}>
      <Suspense fallback={<Loading rows={8} />}>
        <Switch>
          <Route path="/sign-in">
            <Redirect to="/" replace />
          </Route>
          {Object.entries(pages).map(([path, page]) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <h1>There is no such page</h1>
          </Route>
        </Switch>
      </Suspense>
    </Layout>
  );
}
