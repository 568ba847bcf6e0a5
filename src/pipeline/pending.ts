/** Types of neighbours, until they land. */
import type { NodeId } from '../xml/index.js';
export interface Trust {
  readonly name: string;
}
export interface Part {
  readonly text: string;
}
export interface ReplayStore {
  claim(id: string, until: number): Promise<'fresh' | 'seen'> | 'fresh' | 'seen';
}
export interface XmlDocument {
  readonly root: NodeId;
}
export interface Envelope {
  readonly version: '1.1' | '1.2';
}
