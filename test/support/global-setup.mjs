import './register-typescript.mjs';

/** Starts the real Postgres and Redis of this test run; see test-servers.ts. */
export default async function globalSetup() {
  const { startTestServers } = await import('./test-servers.ts');
  globalThis.testServers = await startTestServers();
}
