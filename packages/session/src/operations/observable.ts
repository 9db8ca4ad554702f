// Of RxJS, the classes that a session needs before its first turn. Published code has the modules of RxJS inside, each in a
// file of its own, so that a page loads these two first and the operators with the code of turns.
export { Observable, Subscriber } from 'rxjs';
