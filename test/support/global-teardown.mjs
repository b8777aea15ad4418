export default async function globalTeardown() {
  await globalThis.testServers?.stop();
}
