<?php
use PHPUnit\Framework\TestCase;
final class CartTest extends TestCase {
    public function testAdds(): void { $this->assertSame(2, 1 + 1); }
    public function testCounts(): void { $this->assertSame(42, 41); }
    public function testThrows(): void { throw new RuntimeException('boom'); }
    public function testSkipped(): void { $this->markTestSkipped('not here'); }
    /** @dataProvider numbers */
    public function testSums(int $n): void { $this->assertLessThan(2, $n); }
    public static function numbers(): array { return ['one' => [1], 'two' => [2]]; }
}
