export { MemoryReplayStore, type MemoryStoreOptions } from './memory.js';
