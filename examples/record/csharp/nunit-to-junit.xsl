<?xml version="1.0" encoding="UTF-8"?>
<!-- NUnit 2 results, the newest that Debian's nunit-console writes, as JUnit XML. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="xml" indent="yes"/>
  <xsl:template match="/test-results">
    <testsuites>
      <xsl:for-each select="//test-suite[@type='TestFixture']">
        <testsuite name="{substring-before(results/test-case/@name, concat('.', @name, '.'))}.{@name}" tests="{count(results/test-case)}" time="{@time}" timestamp="{/test-results/@date}T{/test-results/@time}"
            failures="{count(results/test-case[@result='Failure'])}" errors="{count(results/test-case[@result='Error'])}"
            skipped="{count(results/test-case[@executed='False'])}">
          <xsl:apply-templates select="results/test-case"/>
        </testsuite>
      </xsl:for-each>
    </testsuites>
  </xsl:template>
  <xsl:template match="test-case">
    <xsl:variable name="fixture" select="ancestor::test-suite[@type='TestFixture'][1]/@name"/>
    <testcase classname="{substring-before(@name, concat('.', $fixture, '.'))}.{$fixture}"
        name="{substring-after(@name, concat('.', $fixture, '.'))}" time="{@time}">
      <xsl:choose>
        <xsl:when test="@executed='False'"><skipped message="{reason/message}"/></xsl:when>
        <xsl:when test="@result='Failure'"><failure message="{failure/message}"><xsl:value-of select="failure/stack-trace"/></failure></xsl:when>
        <xsl:when test="@result='Error'"><error message="{failure/message}"><xsl:value-of select="failure/stack-trace"/></error></xsl:when>
      </xsl:choose>
    </testcase>
  </xsl:template>
</xsl:stylesheet>
