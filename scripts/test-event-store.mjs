import process from 'node:process';
import { clickhouseEngine } from './clickhouse-engine.mjs';
import { run } from './prepare.mjs';

// npm run test:event-store: runs the tests of the event store on the ClickHouse engine. Without the engine it skips
// them.
let engine;
try {
  engine = clickhouseEngine();
} catch (error) {
  console.log(`skipped: the engine of ClickHouse is not available here (${String(error).split('\n')[0]})`);
}
if (engine !== undefined) {
  process.env.CLICKHOUSE_ENGINE = engine;
  const parameters = ['scripts/test.mjs', '--testMatch', '**/*.event-store.ts', ...process.argv.slice(2)];
  process.exitCode = await run([process.execPath, ...parameters]);
}
