import { prepare } from './prepare.mjs';

// npm run build: installs what the lock file names and compiles the service and its dashboard into dist/.
await prepare();
