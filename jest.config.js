/** Tests run the compiled output as it ships: `tsc` first, no transforms. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/.build/test'],
  testMatch: ['**/*.test.js'],
  transform: {},
  testEnvironment: 'node',
  testTimeout: 30_000,
  maxWorkers: 2,
};
